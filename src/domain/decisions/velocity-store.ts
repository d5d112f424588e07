import type { Velocity, Within } from '@vouchgraph/decisions';
import { IDENTIFIER_KINDS } from '@vouchgraph/linking';
import type { Row } from '../../storage/database.ts';

/** Maximum count of each; the newest rows are counted. */
const MAX_COUNTED = 256;

const WINDOWS = `
  count(*) filter (where x.at > s.start_time - interval '1 hour')::int,
  count(*) filter (where x.at > s.start_time - interval '1 day')::int,
  count(*) filter (where x.at > s.start_time - interval '7 days')::int`;

/** Other accounts of the group that were seen with an identifier of the session since; null without one. */
const accountsWith = (kind: number, column: string) => `
  case when s.${column} is null then null else (
    select array[${WINDOWS}] from (
      select i.last_seen as at from identifiers i
      where i.project_id = $1 and i.kind = ${kind} and i.value_hash = s.${column}
        and i.account_group = me.account_group and i.account_id is distinct from me.id
        and i.first_seen <= s.start_time
      order by i.account_id desc limit ${MAX_COUNTED}
    ) x
  ) end`;

/** Columns of a statement from one row of `s`, the session, and `me`, its account's internal id, or null, and its group. */
export const VELOCITY_COLUMNS = `(
      select array[${WINDOWS}] from (
        select b.session_start as at from account_sessions b
        where b.project_id = $1 and b.account_id = me.id and b.session_id <> s.session_id
          and b.session_start <= s.start_time
          and b.session_start > s.start_time - interval '7 days'
        order by b.session_start desc, b.session_id desc limit ${MAX_COUNTED}
      ) x
    ) as velocity_sessions,
    ${accountsWith(IDENTIFIER_KINDS.device, 'device_hash')} as accounts_per_device,
    ${accountsWith(IDENTIFIER_KINDS.network, 'network_hash')} as accounts_per_network`;

/** `row` has VELOCITY_COLUMNS. */
export function toVelocity(row: Row): Velocity {
  return {
    sessions: toWithin(row.velocity_sessions)!,
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
