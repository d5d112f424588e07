import { isCalendarDate } from '@vouchgraph/platform/calendar-date';
import { z } from 'zod';
import { FEED_DEFAULTS } from '../evidence/weights.ts';
import { FEED_FORMATS } from './feed-formats.ts';
import { FEED_KINDS } from './feed-match.ts';

/** Names of feeds are names of files, and must not leave the folder. */
const feedName = z
  .string()
  .regex(/^[a-z0-9][a-z0-9._-]{0,63}$/, 'must be small letters, digits, dots and dashes, 64 at most');

/** One feed: `<name>.json` in the folder of feeds. */
const manifestShape = z
  .strictObject({
    name: feedName,
    kind: z.enum(FEED_KINDS),
    format: z.enum(FEED_FORMATS),
    /** The data file, inside the folder. */
    path: z
      .string()
      .min(1)
      .max(255)
      .refine((path) => !path.includes('\\') && !path.split('/').includes('..') && !path.startsWith('/'), {
        message: 'must be inside FEEDS_DIR',
      }),
    /** When the list was made, YYYY-MM-DD; without it the list does not age. */
    as_of: z.string().refine(isCalendarDate, 'must be a date such as 2026-11-20').nullish(),
    half_life_days: z.number().positive().max(36_500).nullish(),
    confidence: z.number().min(0).max(1).nullish(),
    /** csv: the column of addresses, and the one that names the service. */
    column: z.string().max(128).nullish(),
    provider_column: z.string().max(128).nullish(),
    /** The service of all addresses. A newer feed of a service replaces its part of the built-in lists. */
    provider: z.string().max(128).nullish(),
    /** Where the list was published: an address or a name. */
    source: z.string().max(500).nullish(),
    /** License or terms of the list. */
    licence: z.string().max(500).nullish(),
  })
  .refine(({ format, column }) => format !== 'csv' || column, {
    message: 'column: required for csv',
  })
  .refine(({ kind, format }) => kind !== 'location' || format === 'mmdb' || format === 'geofeed', {
    message: 'kind: location requires the format geofeed or mmdb',
  });

export type FeedManifest = z.infer<typeof manifestShape>;

/** Defaults of the manifest, by its kind. */
export function feedDefaults({ kind, confidence, half_life_days }: FeedManifest): {
  confidence: number;
  halfLifeDays: number | null;
} {
  const defaults = FEED_DEFAULTS[kind];
  return {
    confidence: confidence ?? defaults.confidence,
    halfLifeDays: half_life_days ?? defaults.halfLifeDays,
  };
}

/** Start of the error of a manifest with invalid fields. */
export const INVALID_MANIFEST = 'the manifest is invalid: ';

/** Reads a manifest; throws a message of one line when it is invalid. */
export function parseManifest(json: string): FeedManifest {
  let value: unknown;
  try {
    value = JSON.parse(json);
  } catch {
    throw new Error('the manifest is not valid JSON');
  }
  const parsed = manifestShape.safeParse(value);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues.map(({ path, message }) => [...path, message].join(': '));
  throw new Error(`${INVALID_MANIFEST}${problems.join('; ')}`);
}
