import type { Row, Statement } from '../../storage/database.ts';
import { IDENTIFIER_KINDS } from '../identifiers/identifier-kinds.ts';
import type { Velocity, Within } from './velocity.ts';

/** Counted of each: the newest. More are told as so many. */
const MAX_COUNTED = 256;

const WINDOWS = `
  count(*) filter (where x.at > (select start_time - interval '1 hour' from s))::int,
  count(*) filter (where x.at > (select start_time - interval '1 day' from s))::int,
  count(*) filter (where x.at > (select start_time - interval '7 days' from s))::int`;

/** Other accounts of the group that were seen with an identifier of the session since; null without one. */
const accountsWith = (kind: number, column: string) => `
  (select case when s.${column} is null then null else (
    select array[${WINDOWS}] from (
      select i.last_seen as at from identifiers i
      where i.project_id = $1 and i.kind = ${kind} and i.value_hash = s.${column}
        and i.account_group = (select account_group from me) and i.account_id is distinct from (select id from me)
        and i.first_seen <= s.start_time
      order by i.account_id desc limit ${MAX_COUNTED}
    ) x
  ) end from s)`;

const READ: Statement = {
  name: 'velocity.read',
  text: `with s as materialized (
      select session_id, start_time, device_hash, network_hash from sessions where project_id = $1 and session_id = $2
    ), me as materialized (
      select (select a.id from accounts a where a.project_id = $1 and a.account_id = $3) as id,
        coalesce($4::text, (select a.account_group from accounts a where a.project_id = $1 and a.account_id = $3), '') as account_group
    )
    select (
      select array[${WINDOWS}] from (
        select b.session_start as at from account_sessions b
        where b.project_id = $1 and b.account_id = (select id from me) and b.session_id <> $2
          and b.session_start <= (select start_time from s)
          and b.session_start > (select start_time - interval '7 days' from s)
        order by b.session_start desc, b.session_id desc limit ${MAX_COUNTED}
      ) x
    ) as sessions,
    ${accountsWith(IDENTIFIER_KINDS.device, 'device_hash')} as accounts_per_device,
    ${accountsWith(IDENTIFIER_KINDS.network, 'network_hash')} as accounts_per_network`,
};

/** The statement that counts around a session of an account, for a trip of several. */
export function velocityCall(
  projectId: string,
  sessionId: string,
  accountId: string,
  group: string | null,
): readonly [Statement, readonly unknown[]] {
  return [READ, [projectId, sessionId, accountId, group]];
}

export function toVelocity(row: Row): Velocity {
  return {
    sessions: toWithin(row.sessions)!,
    accountsPerDevice: toWithin(row.accounts_per_device),
    accountsPerNetwork: toWithin(row.accounts_per_network),
  };
}

/** With the session, or its account, itself. */
function toWithin(others: readonly number[] | null): Within | null {
  if (others === null) return null;
  const [hour = 0, day = 0, week = 0] = others.map((count) => Math.min(count + 1, MAX_COUNTED));
  return { hour, day, week };
}
