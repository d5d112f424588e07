import { randomBytes } from 'node:crypto';
import { BLOCKING_KEY_BYTES, LINK_THRESHOLD, MATCH_KEY_VERSION, packBlockingKeys } from '@vouchgraph/linking';
import { serveLimit } from '../limit-server.ts';
import type { LimitBody } from './limit-traffic.ts';

/*
 * The reference of an authenticate: one statement that writes the rows that a recorded authenticate wrote, of the same number
 * and size; links and what follows from them in the number that authenticates wrote on average. Nothing is read, hashed, encrypted, scored or decided; encrypted values are random bytes. Accounts have current
 * match keys, so that the gateway does not recompute them.
 */
const WRITE = {
  name: 'bench.authenticate',
  text: `with s as (
      update sessions set state = 'complete', completed_at = now(), result = coalesce($15::bytea, result)
      where project_id = $1 and session_id = $2
      returning session_id, start_time, true_country_code, network_hash, compared_subnet_hash
    ), a as (
      insert into accounts (project_id, id, account_id, personal, expected_countries, first_seen, last_seen,
        last_session, country, countries, num_sessions, unique_devices_1d, unique_devices_7d, unique_networks_1d,
        unique_networks_7d, aggregates, created_at, updated_at, match_key_version, blocking_keys)
      select $1, uuidv7(), $3, $4, '{}', s.start_time, s.start_time, s.session_id, s.true_country_code,
        array[s.true_country_code], 1, 1, 1, 1, 1, $5, now(), now(), ${MATCH_KEY_VERSION}, $22 from s
      on conflict (project_id, account_id) do update set last_seen = excluded.last_seen,
        last_session = excluded.last_session, country = excluded.country, countries = excluded.countries,
        num_sessions = accounts.num_sessions + 1, aggregates = excluded.aggregates, updated_at = excluded.updated_at
      returning id, num_sessions, created_at
    ), binding as (
      insert into account_sessions (project_id, account_id, session_id, session_start, request_id, country, scores,
        account_score, decision)
      select $1, a.id, s.session_id, s.start_time, $16::uuid, s.true_country_code, $6, 0.1, 'Real' from a, s
    ), decided as (
      insert into decisions (project_id, decision_id, account_id, session_id, request_id, first_session, decision,
        account_score, versions, inputs)
      select $1, uuidv7(), a.id, s.session_id, $16::uuid, false, 'Real', 0.1, $7, $8 from a, s
    ), standing as (
      insert into account_standing as t (project_id, account_id, account_score, decision, country, num_sessions, last_seen,
        created_at)
      select $1, a.id, 0.1, 'Real', s.true_country_code, a.num_sessions, s.start_time, a.created_at from a, s
      on conflict (project_id, account_id) do update set account_score = excluded.account_score,
        decision = excluded.decision, country = excluded.country, num_sessions = excluded.num_sessions,
        last_seen = excluded.last_seen
    ), inserted as (
      insert into identifiers (project_id, account_id, kind, value_hash, first_seen, last_seen)
      select $1, a.id, i.kind, i.value_hash, s.start_time, s.start_time
      from a, s, unnest($9::smallint[], $10::bytea[]) as i (kind, value_hash)
    ), blocking as (
      insert into blocking_keys (project_id, account_id, kind, value_hash)
      select $1, a.id, k.kind, k.value_hash from a, unnest($20::smallint[], $21::bytea[]) as k (kind, value_hash)
    ), updated as (
      update identifiers i set last_seen = s.start_time, uses = i.uses + 1
      from s, (
        select o.account_id, o.kind, o.value_hash from a, identifiers o
        where o.project_id = $1 and o.account_id = a.id limit $11::int
      ) mine
      where i.project_id = $1 and i.account_id = mine.account_id and i.kind = mine.kind and i.value_hash = mine.value_hash
    ), link as (
      insert into links (project_id, account_id, linked_account_id, score, kinds, first_seen, last_seen)
      select $1, p.one, p.other, ${LINK_THRESHOLD}, 12, s.start_time, s.start_time
      from s, a, unnest($12::uuid[]) as c (id), lateral (values (a.id, c.id), (c.id, a.id)) as p (one, other)
      where c.id <> a.id
      order by p.one, p.other
      on conflict (project_id, account_id, linked_account_id) do update set last_seen = excluded.last_seen
    ), flagged as (
      insert into standing_flags (project_id, account_id) select $1, a.id from a, generate_series(1, $13::int)
    ), identity as (
      insert into identity_recalculations (project_id, recalculation_id, account_id)
      select $1, gen_random_uuid(), a.id from a, generate_series(1, $19::int)
    ), sighting as (
      insert into fraud_sightings (project_id, account_id, session_id, network_hash, compared_subnet_hash, seen_at)
      select $1, a.id, s.session_id, s.network_hash, s.compared_subnet_hash, s.start_time from a, s where $14::boolean
    ), events as (
      insert into outbox_events (project_id, created_at, event_id, write_id, place, type, account_id, session_id, request_id,
        payload)
      select $1, now(), uuidv7(), (select nextval('outbox_unnumbered_writes_write_id_seq')), e.place - 1, e.type, a.id,
        s.session_id, $16::uuid, e.payload
      from a, s, unnest($17::text[], $18::bytea[]) with ordinality as e (type, payload, place)
      returning write_id, created_at
    ), event_write as (
      insert into outbox_unnumbered_writes (project_id, write_id, created_from, created_to, events)
      select $1, write_id, min(created_at), max(created_at), count(*) from events group by write_id
    )
    select id as account_id from a`,
};

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
const HASH_BYTES = 16;
/** Encrypted values are slices of it; random bytes cannot be compressed, as encrypted ones. */
const random = randomBytes(1 << 20);
let at = 0;

function bytes(length: number): Buffer {
  if (at + length > random.length) at = 0;
  at += 1;
  return random.subarray(at, at + length);
}

await serveLimit(async (_request, body, run) => {
  const { session_id, request_id, account, partners, flags, identities, write }: LimitBody = JSON.parse(body);
  const keys = write.blockingKeys.map((kind) => ({ kind, hash: randomBytes(BLOCKING_KEY_BYTES) }));
  const [row] = await run(WRITE, [
    process.env.PROJECT_ID,
    session_id,
    account.id,
    bytes(write.personalBytes),
    aggregates,
    scores,
    versions,
    bytes(write.inputsBytes),
    write.inserted,
    write.inserted.map(() => randomBytes(HASH_BYTES)),
    write.updated,
    partners,
    flags,
    write.isFake,
    write.resultBytes > 0 ? bytes(write.resultBytes) : null,
    request_id,
    write.events.map(({ type }) => type),
    write.events.map((event) => bytes(event.bytes)),
    identities,
    write.blockingKeys,
    keys.map(({ hash }) => hash),
    packBlockingKeys(keys),
  ]);
  return JSON.stringify({ session_id, account_id: account.id, id: row?.account_id });
});
