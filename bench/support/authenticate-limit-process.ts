import { randomBytes } from 'node:crypto';
import { LINK_THRESHOLD, MATCH_KEY_VERSION } from '@vouchgraph/linking';
import { serveLimit } from './limit-server.ts';

/*
 * Minimum cost of W1: the rows that authenticating writes, of the same size, in one data-modifying statement
 * that only reads the accounts on the device of the session. Nothing is hashed, encrypted, scored or decided:
 * identifiers are part of the request, encrypted blobs are random bytes of the usual length. Accounts have
 * current match keys, so that the gateway does not rewrite them.
 */
const WRITE = {
  name: 'bench.authenticate',
  text: `with s as (
      update sessions set state = 'complete', completed_at = now()
      where project_id = $1 and session_id = $2
      returning session_id, start_time, true_country_code, device_hash, network_hash, compared_subnet_hash
    ), a as (
      insert into accounts (project_id, id, account_id, personal, expected_countries, first_seen, last_seen,
        last_session, country, countries, num_sessions, unique_devices_1d, unique_devices_7d, unique_networks_1d,
        unique_networks_7d, aggregates, created_at, updated_at, match_key_version)
      select $1, uuidv7(), $3, $4, '{}', s.start_time, s.start_time, s.session_id, s.true_country_code,
        array[s.true_country_code], 1, 1, 1, 1, 1, $5, now(), now(), ${MATCH_KEY_VERSION} from s
      on conflict (project_id, account_id) do update set personal = excluded.personal, last_seen = excluded.last_seen,
        last_session = excluded.last_session, country = excluded.country, countries = excluded.countries,
        num_sessions = accounts.num_sessions + 1, aggregates = excluded.aggregates, updated_at = excluded.updated_at
      returning id, num_sessions, created_at
    ), binding as (
      insert into account_sessions (project_id, account_id, session_id, session_start, request_id, country, scores,
        account_score, decision, versions)
      select $1, a.id, s.session_id, s.start_time, uuidv7(), s.true_country_code, $6, 0.1, 'Real', $7 from a, s
    ), decided as (
      insert into decisions (project_id, decision_id, account_id, session_id, request_id, first_session, decision,
        account_score, versions, inputs)
      select $1, uuidv7(), a.id, s.session_id, uuidv7(), false, 'Real', 0.1, $7, $13 from a, s
    ), standing as (
      insert into account_standing as t (project_id, account_id, account_score, decision, country, num_sessions, last_seen,
        created_at)
      select $1, a.id, 0.1, 'Real', s.true_country_code, a.num_sessions, s.start_time, a.created_at from a, s
      on conflict (project_id, account_id) do update set account_score = excluded.account_score,
        decision = excluded.decision, country = excluded.country, num_sessions = excluded.num_sessions,
        last_seen = excluded.last_seen
    ), identifier as (
      insert into identifiers (project_id, account_id, kind, value_hash, first_seen, last_seen)
      select $1, a.id, i.kind, i.value_hash, s.start_time, s.start_time from a, s, lateral (
        select * from unnest($8::smallint[], $9::bytea[])
        union all values (2::smallint, s.device_hash), (3::smallint, s.network_hash), (4::smallint, s.compared_subnet_hash)
      ) as i (kind, value_hash)
      on conflict (project_id, account_id, kind, value_hash) do update set last_seen = excluded.last_seen,
        uses = identifiers.uses + 1
    ), candidate as (
      select i.account_id as id from s, a, identifiers i
      where i.project_id = $1 and i.kind = 2 and i.value_hash = s.device_hash and i.account_group = ''
        and i.account_id <> a.id
      limit 50
    ), link as (
      insert into links (project_id, account_id, linked_account_id, score, kinds, first_seen, last_seen)
      select $1, p.one, p.other, ${LINK_THRESHOLD}, 12, s.start_time, s.start_time
      from s, a, candidate c, lateral (values (a.id, c.id), (c.id, a.id)) as p (one, other)
      order by p.one, p.other
      on conflict (project_id, account_id, linked_account_id) do update set last_seen = excluded.last_seen
      returning account_id, (xmax = 0) as is_new
    )
    insert into outbox_events (project_id, created_at, event_id, type, account_id, session_id, request_id, payload)
    select $1, now(), uuidv7(), e.type, a.id, s.session_id, uuidv7(), e.payload from a, s, lateral (
      values ('session.completed', $10::bytea), ('account.authenticated', $11::bytea)
      union all select 'account.linked', $12::bytea from link l where l.is_new and l.account_id = a.id
    ) as e (type, payload)
    returning account_id`,
};

/** Lengths as the gateway's own: a person, and the data of the three events, deflated and encrypted. */
const personal = randomBytes(29 + 127);
const completed = randomBytes(29 + 916);
const authenticated = randomBytes(29 + 1404);
const linked = randomBytes(29 + 130);
const inputs = randomBytes(29 + 840);
const scores = new Array(12).fill(0.05);
const aggregates = JSON.stringify({ asOf: Date.now(), weight: 1.5, sums: scores, latest: scores });
const versions = JSON.stringify({
  signals: '1',
  links: '1',
  account: '1',
  email: '1',
  thresholds: 1,
  rules: 0,
});

await serveLimit(async (_request, body, run) => {
  const { session_id, account, identifiers } = JSON.parse(body);
  const [row] = await run(WRITE, [
    process.env.PROJECT_ID,
    session_id,
    account.id,
    personal,
    aggregates,
    scores,
    versions,
    identifiers.kinds,
    identifiers.hashes,
    completed,
    authenticated,
    linked,
    inputs,
  ]);
  return JSON.stringify({ session_id, account_id: account.id, id: row?.account_id });
});
