import { type AccountExport, orderBy } from '../../model/account-export-store.ts';
import type { AccountRow } from '../../model/account-row.ts';
import { decryptPersonal } from '../../model/decrypt-personal.ts';

const FIELDS = [
  ...[
    'id',
    'account_id',
    'account_group',
    'personal',
    'expected_countries',
    'first_seen',
    'last_seen',
    'last_session',
  ],
  ...['country', 'countries', 'num_sessions', 'unique_devices_1d', 'unique_devices_7d', 'unique_networks_1d'],
  ...['unique_networks_7d', 'aggregates', 'match_key_version', 'created_at', 'updated_at'],
];

/** The account's own row. */
export const accountExport: AccountExport = {
  section: 'account',
  columns: [],
  select: FIELDS.map((field) => `a.${field}`).join(', '),
  from: 'accounts a where a.project_id = $1 and a.id = $2',
  order: [orderBy('a.id', 'uuid')],
  record: (row, { project }) => ({
    accountId: row.account_id,
    group: row.account_group,
    // Id numbers are stored as keyed hashes only.
    personalFields: decryptPersonal(project, row as AccountRow),
    expectedCountries: row.expected_countries,
    firstSeen: row.first_seen,
    lastSeen: row.last_seen,
    lastSession: row.last_session,
    country: row.country,
    countries: row.countries,
    numSessions: row.num_sessions,
    uniqueDevices: { oneDay: row.unique_devices_1d, sevenDays: row.unique_devices_7d },
    uniqueNetworks: { oneDay: row.unique_networks_1d, sevenDays: row.unique_networks_7d },
    averages: row.aggregates,
    matchKeyVersion: row.match_key_version,
    createdAt: row.created_at,
    updatedAt: row.updated_at,
  }),
};
