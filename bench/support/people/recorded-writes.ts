import { unpackBlockingKeys } from '@vouchgraph/linking';
import type { Workbench } from '../workbench.ts';
import type { Attempt } from './people-traffic.ts';

/** What an authenticate wrote besides links: the numbers of its rows, and the lengths of its encrypted values. */
export type RecordedWrite = {
  isNew: boolean;
  isShared: boolean;
  isFake: boolean;
  /** Kinds of inserted identifiers, the number of updated ones, and the kinds of inserted blocking keys. */
  inserted: number[];
  blockingKeys: number[];
  updated: number;
  /** Number of links after it. */
  links: number;
  personalBytes: number;
  inputsBytes: number;
  /** Of the session's result if the decision changed it; 0 otherwise. */
  resultBytes: number;
  events: { type: string; bytes: number }[];
};

/*
 * Rows of one transaction have the same xmin. Events are found by their request.
 */
const READ = {
  name: 'bench.recorded_writes',
  text: `select b.session_id as "sessionId",
      exists (select 1 from fraud_sightings f
        where f.project_id = $1 and f.account_id = b.account_id and f.session_id = b.session_id) as "isFake",
      array(select i.kind from identifiers i where i.project_id = $1 and i.account_id = b.account_id and i.xmin = b.xmin
        and i.uses = 1 and i.first_seen = b.session_start) as inserted,
      array(select k.kind from (${unpackBlockingKeys('a.blocking_keys')}) keys
        join blocking_keys k on k.project_id = $1 and k.kind = keys.kind and k.value_hash = keys.value_hash
          and k.account_group = a.account_group and k.account_id = a.id and k.xmin = b.xmin) as "blockingKeys",
      (select count(*)::int from identifiers i where i.project_id = $1 and i.account_id = b.account_id and i.xmin = b.xmin
        and not (i.uses = 1 and i.first_seen = b.session_start)) as updated,
      (select count(*)::int from links l where l.project_id = $1 and l.account_id = b.account_id) as links,
      length(a.personal) as "personalBytes",
      (select length(d.inputs) from decisions d where d.project_id = $1 and d.account_id = b.account_id
        and d.session_id = b.session_id order by d.at desc limit 1) as "inputsBytes",
      case when s.result is distinct from given.result then length(s.result) else 0 end as "resultBytes",
      array(select json_build_object('type', e.type, 'bytes', length(e.payload)) from outbox_events e
        where e.project_id = $1 and e.account_id = b.account_id and e.request_id = b.request_id) as events
    from unnest($2::uuid[], $3::bytea[]) as given (session_id, result)
    join account_sessions b on b.project_id = $1 and b.session_id = given.session_id
    join accounts a on a.project_id = $1 and a.id = b.account_id
    join sessions s on s.project_id = $1 and s.session_id = b.session_id`,
};

/** The rows of answered authenticates. */
export async function readWrites(
  { system, project }: Workbench,
  attempts: readonly Attempt[],
): Promise<RecordedWrite[]> {
  const bySession = new Map(attempts.map((attempt) => [attempt.session.row.session_id, attempt]));
  type Row = Omit<RecordedWrite, 'isNew' | 'isShared'> & { sessionId: string };
  const rows = await system.query<Row>(READ, [
    project.projectId,
    attempts.map(({ session }) => session.row.session_id),
    attempts.map(({ session }) => session.row.result),
  ]);
  return rows.map(({ sessionId, ...row }) => {
    const { isNew, isShared } = bySession.get(sessionId)!;
    return { ...row, isNew, isShared };
  });
}

/** Means per request. */
export function summarize(writes: readonly RecordedWrite[]): Record<string, number> {
  const mean = (of: (write: RecordedWrite) => number) =>
    writes.reduce((sum, write) => sum + of(write), 0) / writes.length;
  return {
    'new accounts': mean(({ isNew }) => Number(isNew)),
    "on a stranger's device": mean(({ isShared }) => Number(isShared)),
    'decided Fake': mean(({ isFake }) => Number(isFake)),
    'linked accounts': mean(({ links }) => Number(links > 0)),
    'links of an account': mean(({ links }) => links),
    'event bytes': mean(({ events }) => events.reduce((sum, { bytes }) => sum + bytes, 0)),
    'decision bytes': mean(({ inputsBytes }) => inputsBytes),
  };
}
