import { serveLimit } from './limit-server.ts';

/*
 * Minimum cost of R1: the columns that the query reads, encrypted ones as stored, combined to the finished JSON
 * text by PostgreSQL in one prepared statement.
 */
const READ = {
  name: 'bench.read',
  text: `select json_build_object('data', json_build_object('account', json_build_object(
      'accountId', a.account_id, 'personal', encode(a.personal, 'base64'), 'country', a.country,
      'numSessions', a.num_sessions, 'lastSeen', a.last_seen, 'lists', ${listsOf('a')},
      'lastSession', (
        select json_build_object('sessionId', s.session_id, 'startTime', s.start_time, 'source', s.source)
        from sessions s where s.project_id = $1 and s.session_id = a.last_session
      ),
      'linkedAccounts', json_build_object('edges', (
        select coalesce(json_agg(json_build_object(
          'score', l.score, 'matchTypes', l.kinds, 'firstSeen', l.first_seen,
          'node', json_build_object('accountId', n.account_id, 'personal', encode(n.personal, 'base64'),
            'country', n.country, 'lists', ${listsOf('n')}))), '[]'::json)
        from (
          select k.linked_account_id, k.score, k.kinds, k.first_seen from links k
          where k.project_id = $1 and k.account_id = a.id
          order by k.score desc, k.linked_account_id desc limit 10
        ) l
        join accounts n on n.project_id = $1 and n.id = l.linked_account_id
      ))
    )))::text as answer
    from accounts a where a.project_id = $1 and a.account_id = $2`,
};

function listsOf(alias: string): string {
  return `(select coalesce(json_agg(json_build_object('name', t.name) order by t.name), '[]'::json)
    from list_members m join lists t on t.project_id = m.project_id and t.list_id = m.list_id
    where m.project_id = $1 and m.account_id = ${alias}.id and (m.expires_at is null or m.expires_at > now()))`;
}

await serveLimit(async (request, _body, run) => {
  const [row] = await run(READ, [process.env.PROJECT_ID, request.url!.slice(1)]);
  return String(row?.answer);
});
