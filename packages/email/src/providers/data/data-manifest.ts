import { isCalendarDate } from '@vouchgraph/platform/calendar-date';
import { isCountryCode } from '@vouchgraph/platform/countries';
import { numberBetween } from '@vouchgraph/platform/wording';
import { z } from 'zod';
import { PROVIDER_KINDS } from '../provider.ts';
import { HASH_ALGORITHMS } from '../spelled-hashes.ts';
import { DATA_FORMATS } from './data-formats.ts';

/**
 * Default credibility of a breach in an imported file: below that of a breach that its provider verified. A prior.
 */
export const DEFAULT_TRUST_WEIGHT = 0.7;

const DATE_TEXT = 'must be a date such as 2026-11-20';
const date = z.string().refine(isCalendarDate, DATE_TEXT);
const name = z.string().min(1).max(128);

/** Description of a file by the operator. Values of a row take precedence. */
export const dataDescription = z.strictObject({
  /** The name of a file on disk: a path outside the folder is invalid. */
  name: z
    .string()
    .regex(
      /^[a-z0-9][a-z0-9._-]{0,63}$/,
      'must be at most 64 lowercase letters, digits, dots, dashes and underscores, and start with a letter or digit',
    ),
  kind: z.enum(PROVIDER_KINDS),
  format: z.enum(DATA_FORMATS),
  /** Date of the data. */
  as_of: date.nullish(),
  /** breaches: name of the breach; the name of the file when absent. */
  breach: name.nullish(),
  /** breaches: date of the breach. */
  breach_date: date.nullish(),
  trust_weight: numberBetween(0, 1).nullish(),
  /** Country of the breached service. */
  country: z
    .string()
    .refine(isCountryCode, 'must be an ISO 3166-1 alpha-2 code in upper case, such as DE')
    .nullish(),
  industry: name.nullish(),
  /** profiles: name of the service; the name of the file when absent. */
  service: name.nullish(),
});

export type DataDescription = z.infer<typeof dataDescription>;

const count = z.number().int().min(0);

const example = z.strictObject({
  line: count,
  reason: z.string().max(200),
  file: z.string().max(255).optional(),
});

/** Footer of an imported file: the description, the counts, and the positions of the sections. */
export const dataFooter = z.strictObject({
  description: dataDescription,
  imported_at: z.iso.datetime(),
  /** Rows that were imported. */
  rows: count,
  bad_lines: count,
  /** Rows imported without a value that cannot be read. */
  bad_values: count,
  /** Lines without an address by design: `SUFFIX:0` pads the answers of range interfaces. */
  padding_lines: count,
  examples: z.array(example).max(10),
  sections: z
    .array(
      z.strictObject({
        algorithm: z.enum(HASH_ALGORITHMS),
        entries: count,
        entriesAt: count,
        prefixesAt: count,
      }),
    )
    .max(HASH_ALGORITHMS.length),
  recordsAt: count,
  recordsBytes: count,
  /** Length of all before the footer. */
  bodyBytes: count,
});

export type DataFooter = z.infer<typeof dataFooter>;
export type DataSection = DataFooter['sections'][number];
export type LineProblem = z.infer<typeof example>;
