import { readFileSync } from 'node:fs';
import { csvFields } from '@vouchgraph/platform/csv';
import type { ModelAccount } from './model-account.ts';

const COLUMNS = ['id', 'first_name', 'surname', 'email', 'phone', 'date_of_birth', 'cluster'] as const;
type Column = (typeof COLUMNS)[number];

/**
 * Records of a file with a header, one per line, in which records with equal `cluster` belong to one person.
 * `country`: country of national phone numbers; null when they are not parsed.
 */
export function readRecords(file: string, country: string | null): ModelAccount[] {
  const [header = '', ...lines] = readFileSync(file, 'utf8')
    .replace(/^\uFEFF/, '')
    .split('\n');
  const names = csvFields(header).map((name) => name.trim());
  const at = Object.fromEntries(COLUMNS.map((column) => [column, names.indexOf(column)])) as Record<
    Column,
    number
  >;
  for (const column of ['id', 'cluster'] as const) {
    if (at[column] < 0) throw new Error(`no column ${JSON.stringify(column)} in the first line of ${file}`);
  }
  const records = lines
    .filter((line) => line.trim() !== '')
    .map((line) => {
      const fields = csvFields(line);
      return toAccount((column) => (fields[at[column]] ?? '').trim(), country);
    });
  if (new Set(records.map(({ id }) => id)).size < records.length)
    throw new Error(`an id is twice in ${file}`);
  return records;
}

function toAccount(read: (column: Column) => string, country: string | null): ModelAccount {
  const [email, phone] = [read('email'), read('phone')];
  return {
    id: read('id'),
    // A record without a cluster is the only record of its person.
    personId: read('cluster') || `alone ${read('id')}`,
    origin: 'person',
    country: '',
    registeredAt: new Date(0),
    fields: {
      ...{ email, phone, firstName: read('first_name'), lastName: read('surname'), username: '' },
      dateOfBirth: read('date_of_birth'),
    },
    expectedCountries: country === null ? [] : [country],
    sessions: [],
    mailbox: mailboxOf(email),
    phone: phone.replace(/\D/g, ''),
    circumstances: [],
  };
}

/** Without a tag, and at Gmail without dots: the same mailbox independently of the rules. */
function mailboxOf(email: string): string {
  const [local = '', domain = ''] = email.toLowerCase().split('@');
  const untagged = local.replace(/\+.*/, '');
  if (domain === '') return local;
  return `${domain === 'gmail.com' ? untagged.replaceAll('.', '') : untagged}@${domain}`;
}
