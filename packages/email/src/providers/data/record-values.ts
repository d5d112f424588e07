import { isCountryCode } from '@vouchgraph/platform/countries';
import type { ProviderKind } from '../provider.ts';
import { readDate, readPhone, readText, readUrl } from '../value-readers.ts';
import type { DataRecord } from './data-record.ts';

/** A row by the names of its columns, which are in lower case. */
type TableRow = ReadonlyMap<string, string>;

type Column = {
  /** Names that the column may have, the first that is filled wins. */
  readonly names: readonly string[];
  readonly field: keyof DataRecord;
  /** The value, or null for an invalid text. */
  read(text: string): string | number | null;
  readonly accepted: string;
};

const MAX_TEXT = 128;
const MAX_NAME = 256;

const text = (maxLength: number) => (value: string) => readText(value, maxLength);

function readCountry(value: string): string | null {
  const code = value.toUpperCase();
  return isCountryCode(code) ? code : null;
}

function readShare(value: string): number | null {
  const share = Number(value);
  return share >= 0 && share <= 1 ? share : null;
}

const TEXT = `must be at most ${MAX_TEXT} characters, without control characters`;
const DATE = 'must be a date such as 2026-11-20';
const COUNTRY: Column = {
  names: ['country'],
  field: 'country',
  read: readCountry,
  accepted: 'must be an ISO 3166-1 alpha-2 code such as DE',
};

const COLUMNS: Readonly<Record<ProviderKind, readonly Column[]>> = {
  breaches: [
    { names: ['breach', 'source'], field: 'breach', read: text(MAX_TEXT), accepted: TEXT },
    { names: ['date', 'breach_date'], field: 'date', read: readDate, accepted: DATE },
    {
      names: ['trust_weight'],
      field: 'trust',
      read: readShare,
      accepted: 'must be a number between 0 and 1',
    },
    COUNTRY,
    { names: ['industry'], field: 'industry', read: text(MAX_TEXT), accepted: TEXT },
  ],
  profiles: [
    { names: ['service'], field: 'service', read: text(MAX_TEXT), accepted: TEXT },
    { names: ['url'], field: 'url', read: readUrl, accepted: 'must be a URL with http or https' },
    {
      names: ['name'],
      field: 'name',
      read: text(MAX_NAME),
      accepted: `must be at most ${MAX_NAME} characters, without control characters`,
    },
    { names: ['phone'], field: 'phone', read: readPhone, accepted: 'must be a phone number' },
    COUNTRY,
    { names: ['since', 'date'], field: 'since', read: readDate, accepted: DATE },
  ],
};

/** The values of a row besides its digests, and the reasons of omitted values. */
export function readRecord(kind: ProviderKind, row: TableRow): { record: DataRecord; problems: string[] } {
  const record: Record<string, string | number> = {};
  const problems: string[] = [];
  for (const { names, field, read, accepted } of COLUMNS[kind]) {
    const name = names.find((each) => (row.get(each)?.trim() ?? '') !== '');
    if (name === undefined) continue;
    const value = read(row.get(name)!.trim());
    if (value === null) problems.push(`${name}: ${accepted}`);
    else record[field] = value;
  }
  return { record, problems };
}
