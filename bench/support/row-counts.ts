import type { Workbench } from './workbench.ts';

/** Rows stored by an account's requests, and the bytes of their encrypted values. */
export type Writes = {
  accounts: number;
  sessions: number;
  standings: number;
  identifiers: number;
  uses: number;
  links: number;
  events: number;
  eventBytes: number;
  decisions: number;
  decisionBytes: number;
  personalBytes: number;
};

/** Which of the two lanes an account belongs to: the last digit of its id is even or odd. */
const SHARE = `(ascii(right(a.account_id, 1)) % 2)`;

const COUNT = {
  name: 'bench.count',
  text: `select count(*)::int as accounts, sum(a.num_sessions)::int as sessions,
      count(t.account_id)::int as standings, sum(i.rows)::int as identifiers, sum(i.uses)::int as uses, sum(l.rows)::int as links,
      sum(e.rows)::int as events, coalesce(sum(e.bytes), 0)::int as "eventBytes",
      coalesce(sum(d.rows), 0)::int as decisions, coalesce(sum(d.bytes), 0)::int as "decisionBytes",
      sum(length(a.personal))::int as "personalBytes"
    from accounts a
    left join account_standing t on t.project_id = a.project_id and t.account_id = a.id
    left join (select account_id, count(*) as rows, sum(uses) as uses from identifiers group by 1) i on i.account_id = a.id
    left join (select account_id, count(*) as rows from links group by 1) l on l.account_id = a.id
    left join (select account_id, count(*) as rows, sum(length(payload)) as bytes from outbox_events group by 1) e
      on e.account_id = a.id
    left join (select account_id, count(*) as rows, sum(length(inputs)) as bytes from decisions group by 1) d
      on d.account_id = a.id
    group by ${SHARE} order by ${SHARE}`,
};

/** Current number of rows in the tables, for each lane. */
export function countWrites({ system }: Workbench): Promise<Writes[]> {
  return system.query(COUNT, []);
}
