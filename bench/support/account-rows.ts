import { addSession, NO_AGGREGATES, scoreVector } from '@vouchgraph/decisions/internals/account/aggregates';
import {
  type AccountIdentifier,
  contactIdentifiers,
  IDENTIFIER_KINDS,
  type IdentifierKey,
  identifierKey,
  isBlockingKind,
  MATCH_KEY_VERSION,
  packBlockingKeys,
  sessionIdentifiers,
} from '@vouchgraph/linking';
import { NO_PERSONAL_FIELDS, type PersonalFields } from '@vouchgraph/persons';
import { recentCounts } from '../../src/domain/accounts/plan-account-row.ts';
import { type BulkTable, insertRows } from './bulk-insert.ts';
import { insertSessions, type MadeSession, type SessionMaker, type Trace } from './sessions.ts';
import type { Workbench } from './workbench.ts';

/** An account to be stored, with the traces of its sessions (at least one) in the order of time. */
export type AccountToStore = {
  id: string;
  accountId: string;
  fields: Pick<PersonalFields, 'email' | 'phone' | 'firstName' | 'lastName' | 'username'>;
  expectedCountries: readonly string[];
  visits: readonly (Trace & { at: Date })[];
};

const ACCOUNTS: BulkTable = {
  name: 'accounts',
  columns: {
    id: 'uuid',
    account_id: 'text',
    personal: 'bytea',
    expected_countries: 'text[]',
    first_seen: 'timestamptz',
    last_seen: 'timestamptz',
    last_session: 'uuid',
    country: 'text',
    countries: 'text[]',
    num_sessions: 'int',
    unique_devices_1d: 'int',
    unique_devices_7d: 'int',
    unique_networks_1d: 'int',
    unique_networks_7d: 'int',
    aggregates: 'json',
    created_at: 'timestamptz',
    updated_at: 'timestamptz',
    blocking_keys: 'bytea',
  },
  // Otherwise the gateway would rewrite the identifiers of all accounts during the measurement.
  computed: { match_key_version: String(MATCH_KEY_VERSION) },
};

const BINDINGS: BulkTable = {
  name: 'account_sessions',
  columns: {
    account_id: 'uuid',
    session_id: 'uuid',
    session_start: 'timestamptz',
    bound_at: 'timestamptz',
    request_id: 'uuid',
    country: 'text',
    account_score: 'float8',
    decision: 'text',
    scores: 'float8[]',
  },
};

const IDENTIFIERS: BulkTable = {
  name: 'identifiers',
  columns: {
    account_id: 'uuid',
    kind: 'smallint',
    value_hash: 'bytea',
    first_seen: 'timestamptz',
    last_seen: 'timestamptz',
    uses: 'int',
  },
};

export const BLOCKING_KEYS: BulkTable = {
  name: 'blocking_keys',
  columns: { account_id: 'uuid', kind: 'smallint', value_hash: 'bytea' },
};

const { email, role_email: roleEmail, phone } = IDENTIFIER_KINDS;
const REPEATED: ReadonlySet<number> = new Set([email, roleEmail, phone]);

/** Stores accounts with their sessions and identifiers, without links and standings. */
export async function insertAccounts(
  bench: Workbench,
  accounts: readonly AccountToStore[],
  makeSession: SessionMaker,
): Promise<void> {
  const made = accounts.map((account) => {
    const sessions = account.visits.map((visit) => makeSession(visit, visit.at, false));
    return { account, sessions, identifiers: identifiersOf(bench, account, sessions) };
  });
  await insertRows(
    bench,
    ACCOUNTS,
    made.map(({ account, sessions, identifiers }) => accountRow(bench, account, sessions, identifiers)),
  );
  await insertSessions(
    bench,
    made.flatMap(({ sessions }) => sessions),
  );
  await insertRows(
    bench,
    BINDINGS,
    made.flatMap(({ account, sessions }) => bindingRows(account, sessions)),
  );
  const rows = made.flatMap(({ account, identifiers }) =>
    identifiers.map((each) => identifierRow(account, each)),
  );
  await insertRows(
    bench,
    IDENTIFIERS,
    rows.filter(({ kind }) => !isBlockingKind(kind)),
  );
  await insertRows(
    bench,
    BLOCKING_KEYS,
    rows.filter(({ kind }) => isBlockingKind(kind)),
  );
}

function accountRow(
  { project }: Workbench,
  { id, accountId, fields, expectedCountries }: AccountToStore,
  sessions: readonly MadeSession[],
  identifiers: readonly AccountIdentifier[],
) {
  const personal: PersonalFields = { ...NO_PERSONAL_FIELDS, ...fields };
  const [first, last] = [sessions[0]!, sessions[sessions.length - 1]!];
  const aggregates = sessions.reduce(
    (sum, session) => addSession(sum, session.row.start_time, scoresOf(session), null),
    NO_AGGREGATES,
  );
  return {
    id,
    account_id: accountId,
    personal: project.cipher.encryptJson('accounts', id, personal),
    expected_countries: expectedCountries,
    first_seen: first.row.start_time,
    last_seen: last.row.start_time,
    last_session: last.row.session_id,
    country: last.result.trueCountryCode,
    countries: [
      ...new Set(sessions.map(({ result }) => result.trueCountryCode).filter((code) => code !== '')),
    ],
    num_sessions: sessions.length,
    ...recentCounts(identifiers, last.row.start_time),
    aggregates: JSON.stringify(aggregates),
    created_at: first.row.start_time,
    updated_at: last.row.start_time,
    blocking_keys: packBlockingKeys(identifiers),
  };
}

function scoresOf({ result }: MadeSession) {
  return scoreVector(result.riskSignalScores, result.botScore, result.riskScore);
}

function bindingRows({ id }: AccountToStore, sessions: readonly MadeSession[]) {
  return sessions.map((session) => ({
    account_id: id,
    session_id: session.row.session_id,
    session_start: session.row.start_time,
    bound_at: session.row.start_time,
    request_id: session.row.request_id,
    country: session.result.trueCountryCode,
    account_score: 0,
    decision: 'Real',
    scores: scoresOf(session),
  }));
}

/**
 * Each identifier once, with its first and last session. Every session repeats the email and the phone; other fields are sent
 * with the first.
 */
function identifiersOf(
  { project }: Workbench,
  { fields, expectedCountries }: AccountToStore,
  sessions: readonly MadeSession[],
): AccountIdentifier[] {
  const [first, last] = [sessions[0]!.row.start_time, sessions[sessions.length - 1]!.row.start_time];
  const found = new Map<string, AccountIdentifier>();
  const add = (key: IdentifierKey, firstSeen: Date, lastSeen: Date, uses = 1) => {
    const name = identifierKey(key.kind, key.hash);
    const before = found.get(name);
    const period = { firstSeen: before?.firstSeen ?? firstSeen, lastSeen };
    found.set(name, { ...key, ...period, uses: (before?.uses ?? 0) + uses });
  };
  const contact = contactIdentifiers({ ...NO_PERSONAL_FIELDS, ...fields }, expectedCountries, (kind, value) =>
    project.cipher.blindIndex(kind, value),
  );
  for (const key of contact) {
    if (REPEATED.has(key.kind)) add(key, first, last, sessions.length);
    else add(key, first, first);
  }
  for (const { row } of sessions)
    for (const key of sessionIdentifiers(row)) add(key, row.start_time, row.start_time);
  return [...found.values()];
}

function identifierRow({ id }: AccountToStore, { kind, hash, firstSeen, lastSeen, uses }: AccountIdentifier) {
  return { account_id: id, kind, value_hash: hash, first_seen: firstSeen, last_seen: lastSeen, uses };
}
