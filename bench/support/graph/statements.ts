import { IDENTIFIER_KINDS, LINKING_KINDS } from '@vouchgraph/linking';
import { MAX_SHARED_BY } from '../../../src/domain/linking/evidence-store.ts';
import type { LimitStatement } from '../limit-server.ts';

/*
 * Minimum cost of each read: one prepared statement from which PostgreSQL returns the finished JSON. $1 is the
 * project, $2 (and of a path $3) the client's id of an account. Encrypted and coded values are returned as
 * stored.
 */
export const PAGE_SIZE = 20;
export const MAX_NODES = 100;

const PAGE_OF_LINKS = `(
    select k.linked_account_id, k.score, k.kinds from links k where k.project_id = $1 and k.account_id = a.id
    order by k.score desc, k.linked_account_id desc limit ${PAGE_SIZE}
  ) l join accounts n on n.project_id = $1 and n.id = l.linked_account_id`;

function pageStatement(name: string, ofAccount: string, ofLink: string): LimitStatement {
  return {
    name,
    text: `select json_build_object('accountId', a.account_id${ofAccount}, 'edges', (
        select coalesce(json_agg(json_build_object('score', l.score, 'matchTypes', l.kinds${ofLink},
          'accountId', n.account_id) order by l.score desc, l.linked_account_id desc), '[]'::json)
        from ${PAGE_OF_LINKS}
      ))::text as answer
      from accounts a where a.project_id = $1 and a.account_id = $2`,
  };
}

const EVIDENCE = `(
    select coalesce(json_agg(json_build_object('kind', i.kind, 'hash', left(encode(i.value_hash, 'hex'), 8),
      'firstSeen', greatest(i.first_seen, o.first_seen), 'sharedBy', (
        select count(*) from (
          select 1 from identifiers h where h.project_id = $1 and h.kind = i.kind and h.value_hash = i.value_hash
            and h.account_group = i.account_group limit ${MAX_SHARED_BY}
        ) held
      ))), '[]'::json)
    from identifiers i
    join identifiers o on o.project_id = $1 and o.account_id = l.linked_account_id and o.kind = i.kind
      and o.value_hash = i.value_hash and o.account_group = i.account_group
    where i.project_id = $1 and i.account_id = a.id
      and i.kind in (${LINKING_KINDS.map((kind) => IDENTIFIER_KINDS[kind]).join(', ')})
  )`;

/** Strongest links of an account `of`. One more than the page shows whether another page exists. */
const strongestLinks = (of: string) => `lateral (
    select k.linked_account_id as id, k.score from links k where k.project_id = $1 and k.account_id = ${of}
    order by k.score desc, k.linked_account_id desc limit ${MAX_NODES + 1}
  ) s`;

function graphStatement(name: string, depth: 1 | 2): LimitStatement {
  const second = `union all select s.id, 2, max(s.score) from first f cross join ${strongestLinks('f.id')}
      where s.id <> (select id from root) and s.id not in (select id from first) group by s.id`;
  return {
    name,
    text: `with root as materialized (
        select a.id from accounts a where a.project_id = $1 and a.account_id = $2
      ), first as materialized (
        select s.* from root r cross join ${strongestLinks('r.id')}
      ), found as materialized (
        select id, 0 as depth, 1::float8 as score from root
        union all select id, 1, score from first
        ${depth === 2 ? second : ''}
      ), nodes as materialized (
        select f.id, f.depth, f.score, a.account_id
        from (select * from found order by depth, score desc, id desc limit ${MAX_NODES}) f
        join accounts a on a.project_id = $1 and a.id = f.id
      )
      select json_build_object(
        'nodes', (select json_agg(json_build_object('depth', n.depth, 'accountId', n.account_id)
          order by n.depth, n.score desc, n.id desc) from nodes n),
        'edges', (select coalesce(json_agg(json_build_object('from', n.account_id, 'to', m.account_id,
            'score', k.score, 'matchTypes', k.kinds) order by k.score desc), '[]'::json)
          from nodes n join links k on k.project_id = $1 and k.account_id = n.id and k.account_id < k.linked_account_id
          join nodes m on m.id = k.linked_account_id),
        'truncated', (select count(*) > ${MAX_NODES} from found)
      )::text as answer`,
  };
}

const LINKS = 'k.project_id = $1 and k.account_id';

/** Paths by increasing length, the strongest first: a branch starts only when the previous ones found nothing. */
const PATH: LimitStatement = {
  name: 'bench.path',
  text: `with ends as materialized (
      select f.id as f, t.id as t from accounts f, accounts t
      where f.project_id = $1 and f.account_id = $2 and t.project_id = $1 and t.account_id = $3
    ), f as materialized (
      select k.linked_account_id as id, k.score from ends e join links k on ${LINKS} = e.f
    ), t as materialized (
      select k.linked_account_id as id, k.score from ends e join links k on ${LINKS} = e.t
    ), path as (
      select * from (
        (select array[f.id] as ids, array[f.score] as scores from f where f.id = (select e.t from ends e))
        union all
        (select array[f.id, e.t], array[f.score, t.score] from ends e, f join t on t.id = f.id
          order by f.score * t.score desc limit 1)
        union all
        (select array[f.id, t.id, e.t], array[f.score, k.score, t.score]
          from ends e, f join links k on ${LINKS} = f.id join t on t.id = k.linked_account_id
          order by f.score * k.score * t.score desc limit 1)
        union all
        (select array[f.id, k.linked_account_id, t.id, e.t], array[f.score, k.score, l.score, t.score]
          from ends e, f join links k on ${LINKS} = f.id
          join links l on l.project_id = $1 and l.account_id = k.linked_account_id
          join t on t.id = l.linked_account_id
          order by f.score * k.score * l.score * t.score desc limit 1)
      ) by_length limit 1
    )
    select json_build_object('ids', (
      select json_agg(a.account_id order by h.place) from unnest(p.ids) with ordinality as h (id, place)
      join accounts a on a.project_id = $1 and a.id = h.id
    ), 'scores', p.scores)::text as answer from path p`,
};

export const GRAPH_STATEMENTS = {
  page: pageStatement('bench.page', '', ''),
  evidence: pageStatement(
    'bench.evidence',
    `, 'personal', encode(a.personal, 'base64')`,
    `, 'evidence', ${EVIDENCE}`,
  ),
  graph: graphStatement('bench.graph', 2),
  around: graphStatement('bench.around', 1),
  path: PATH,
} satisfies Record<string, LimitStatement>;
export type GraphStatement = keyof typeof GRAPH_STATEMENTS;
