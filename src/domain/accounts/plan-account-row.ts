import { type Aggregates, addSession, parseAggregates, scoreVector } from '@vouchgraph/decisions';
import { type AccountIdentifier, countRecent, IDENTIFIER_KINDS } from '@vouchgraph/linking';
import { newId } from '@vouchgraph/platform/ids';
import type { AccountRow } from '../model/account-row.ts';
import type { Session } from '../sessions/session.ts';

export function newAccountRow(accountId: string, now: Date): AccountRow {
  return {
    id: newId(now.getTime()),
    account_id: accountId,
    account_group: '',
    personal: new Uint8Array(),
    expected_countries: [],
    first_seen: null,
    last_seen: null,
    last_session: null,
    country: '',
    countries: [],
    num_sessions: 0,
    unique_devices_1d: 0,
    unique_devices_7d: 0,
    unique_networks_1d: 0,
    unique_networks_7d: 0,
    aggregates: {},
    created_at: now,
    updated_at: now,
    lists: [],
  };
}

/** Changes of an account's row by a session. */
export function afterSession(
  before: AccountRow,
  session: Session,
  boundScores: number[] | null,
  identifiers: readonly AccountIdentifier[],
): Partial<AccountRow> {
  const start = session.row.start_time;
  const country = session.result.trueCountryCode;
  const isLatest = before.last_seen === null || start >= before.last_seen;
  const lastSeen = isLatest ? start : before.last_seen!;
  return {
    first_seen: before.first_seen === null || start < before.first_seen ? start : before.first_seen,
    last_seen: lastSeen,
    last_session: isLatest ? session.sessionId : before.last_session,
    country: isLatest ? country : before.country,
    countries:
      country && !before.countries.includes(country) ? [...before.countries, country] : before.countries,
    num_sessions: before.num_sessions + (boundScores === null ? 1 : 0),
    ...recentCounts(identifiers, lastSeen),
  };
}

export function recentCounts(identifiers: readonly AccountIdentifier[], lastSeen: Date) {
  const countOf = (kind: number, days: number) => countRecent(identifiers, kind, lastSeen, days);
  return {
    unique_devices_1d: countOf(IDENTIFIER_KINDS.device, 1),
    unique_devices_7d: countOf(IDENTIFIER_KINDS.device, 7),
    unique_networks_1d: countOf(IDENTIFIER_KINDS.network, 1),
    unique_networks_7d: countOf(IDENTIFIER_KINDS.network, 7),
  };
}

export function aggregatesAfter(
  before: AccountRow,
  session: Session | null,
  boundScores: number[] | null,
): Aggregates {
  const aggregates = parseAggregates(before.aggregates);
  if (!session) return aggregates;
  return addSession(aggregates, session.row.start_time, vectorOf(session), boundScores);
}

export function vectorOf(session: Session) {
  const { riskSignalScores, botScore, riskScore } = session.result;
  return scoreVector(riskSignalScores, botScore, riskScore);
}
