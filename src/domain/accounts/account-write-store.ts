import {
  type IdentifierKey,
  isBlockingKind,
  MATCH_KEY_VERSION,
  rankedIdentifiers,
  readBlockingKeys,
} from '@vouchgraph/linking';
import type { ProjectDatabase, Statement } from '../../storage/database.ts';
import { namedStatement } from '../../storage/named-statement.ts';
import { insertEvents } from '../events/insert-events-store.ts';
import { ADD_FRAUD_SIGHTING, REMOVE_FRAUD_SIGHTING } from '../sessions/history-store.ts';
import { WRITE_RESULT } from '../sessions/session-store.ts';
import type { AccountChange } from './account-change.ts';
import { listCalls } from './account-lists-store.ts';
import { removedLinkValues, writeValues } from './account-write-values.ts';

/*
 * Trip 2 of changes: one data-modifying statement for the writes of every change, and one more for each rarer write of each
 * change. No row is modified by two parts of a statement. Rows of other accounts are never updated: links have their own rows.
 * Accounts whose scores depend on the change are flagged for recalculation, and so is the account itself if this process has
 * outdated settings of the project.
 */

const WRITE = namedStatement(
  'account.write',
  `with a as materialized (
      select * from unnest(:ids::uuid[], :accountIds::text[], :groups::text[], :personal::bytea[], :expectedCountries::text[],
        :firstSeen::timestamptz[], :lastSeen::timestamptz[], :lastSessions::uuid[], :country::text[], :countries::text[],
        :numSessions::int[], :uniqueDevices1d::int[], :uniqueDevices7d::int[], :uniqueNetworks1d::int[],
        :uniqueNetworks7d::int[], :aggregates::json[], :createdAt::timestamptz[], :times::timestamptz[],
        :standingScores::float8[], :standingDecisions::text[], :settingsVersions::int[],
        :blockingKeys::bytea[])
        as a (id, account_id, account_group, personal, expected_countries, first_seen, last_seen, last_session, country,
          countries, num_sessions, unique_devices_1d, unique_devices_7d, unique_networks_1d, unique_networks_7d, aggregates,
          created_at, at, score, decision, settings_version, blocking_keys)
    ), b as materialized (
      select * from unnest(:boundIds::uuid[], :boundTimes::timestamptz[], :boundRequests::uuid[], :sessionIds::uuid[],
        :sessionStarts::timestamptz[], :sessionCountries::text[], :scores::text[], :pairScores::float8[],
        :pairDecisions::text[], :versions::jsonb[], :decisionIds::uuid[], :areFirstSessions::boolean[],
        :decisionInputs::bytea[])
        as b (id, at, request_id, session_id, session_start, country, scores, score, decision, versions, decision_id,
          is_first_session, inputs)
    ), account as (
      insert into accounts (project_id, id, account_id, account_group, personal, expected_countries, first_seen,
        last_seen, last_session, country, countries, num_sessions, unique_devices_1d, unique_devices_7d,
        unique_networks_1d, unique_networks_7d, aggregates, created_at, updated_at, match_key_version, blocking_keys)
      select :projectId, a.id, a.account_id, a.account_group, a.personal, string_to_array(a.expected_countries, ','),
        a.first_seen, a.last_seen, a.last_session, a.country, string_to_array(a.countries, ','), a.num_sessions,
        a.unique_devices_1d, a.unique_devices_7d, a.unique_networks_1d, a.unique_networks_7d, a.aggregates, a.created_at,
        a.at, ${MATCH_KEY_VERSION}, a.blocking_keys
      from a
      on conflict (project_id, id) do update set
        account_group = excluded.account_group, personal = excluded.personal,
        expected_countries = excluded.expected_countries, first_seen = excluded.first_seen,
        last_seen = excluded.last_seen, last_session = excluded.last_session, country = excluded.country,
        countries = excluded.countries, num_sessions = excluded.num_sessions,
        unique_devices_1d = excluded.unique_devices_1d, unique_devices_7d = excluded.unique_devices_7d,
        unique_networks_1d = excluded.unique_networks_1d, unique_networks_7d = excluded.unique_networks_7d,
        aggregates = excluded.aggregates, updated_at = excluded.updated_at, blocking_keys = excluded.blocking_keys
    ), standing as (
      insert into account_standing (project_id, account_id, account_group, account_score, decision, country,
        num_sessions, last_seen, created_at)
      select :projectId, a.id, a.account_group, a.score, a.decision, a.country, a.num_sessions, a.last_seen, a.created_at
      from a
      on conflict (project_id, account_id) do update set
        account_group = excluded.account_group, account_score = excluded.account_score, decision = excluded.decision,
        country = excluded.country, num_sessions = excluded.num_sessions, last_seen = excluded.last_seen
    ), flagged as (
      insert into standing_flags (project_id, account_id)
      select :projectId, f.account_id from unnest(:rescored::uuid[]) as f (account_id)
      union all
      select :projectId, a.id from a cross join (
        select settings_version from projects where project_id = :projectId
      ) p where p.settings_version <> a.settings_version
    ), binding as (
      insert into account_sessions (project_id, account_id, session_id, session_start, bound_at, request_id, country,
        scores, account_score, decision)
      select :projectId, b.id, b.session_id, b.session_start, b.at, b.request_id, b.country, b.scores::float8[], b.score,
        b.decision
      from b
      on conflict (project_id, account_id, session_id) do update set
        request_id = excluded.request_id, country = excluded.country, scores = excluded.scores,
        account_score = excluded.account_score, decision = excluded.decision
    ), session as (
      update sessions x set state = 'complete', completed_at = b.at from b
      where x.project_id = :projectId and x.session_id = b.session_id and x.state = 'open'
    ), decided as (
      insert into decisions (project_id, decision_id, account_id, session_id, request_id, at, first_session, decision,
        account_score, versions, inputs)
      select :projectId, b.decision_id, b.id, b.session_id, b.request_id, b.at, b.is_first_session, b.decision, b.score,
        b.versions, b.inputs
      from b
    ), new_identifier as (
      insert into identifiers (project_id, account_id, kind, value_hash, account_group, first_seen, last_seen, uses)
      select :projectId, i.* from unnest(:newAccounts::uuid[], :newKinds::smallint[], :newHashes::bytea[],
        :newGroups::text[], :newFirstSeen::timestamptz[], :newLastSeen::timestamptz[], :newUses::int[]) as i
    ), new_blocking_key as (
      insert into blocking_keys (project_id, account_id, kind, value_hash, account_group)
      select :projectId, k.* from unnest(:keyAccounts::uuid[], :keyKinds::smallint[], :keyHashes::bytea[],
        :keyGroups::text[]) as k
    ), used_identifier as (
      insert into identifiers (project_id, account_id, kind, value_hash, account_group, first_seen, last_seen, uses)
      select :projectId, i.* from unnest(:usedAccounts::uuid[], :usedKinds::smallint[], :usedHashes::bytea[],
        :usedGroups::text[], :usedFirstSeen::timestamptz[], :usedLastSeen::timestamptz[], :usedUses::int[]) as i
      on conflict (project_id, account_id, kind, value_hash) do update set
        account_group = excluded.account_group, first_seen = excluded.first_seen, last_seen = excluded.last_seen,
        uses = excluded.uses
    ), link as (
      insert into links (project_id, account_id, linked_account_id, score, kinds, first_seen, last_seen, bridges)
      select :projectId, l.* from unnest(:linksFrom::uuid[], :linksTo::uuid[], :linkScores::float8[], :linkKinds::int[],
        :linksFirstSeen::timestamptz[], :linksLastSeen::timestamptz[], :linkBridges::boolean[]) as l
      on conflict (project_id, account_id, linked_account_id) do update set
        score = excluded.score, kinds = excluded.kinds, first_seen = excluded.first_seen,
        last_seen = excluded.last_seen, bridges = excluded.bridges
    ), identity as (
      insert into identity_recalculations (project_id, recalculation_id, account_id)
      select :projectId, gen_random_uuid(), m.id from unnest(:movesIdentity::uuid[]) as m (id)
    ), ${insertEvents(
      {
        createdAt: 'e.at',
        eventId: 'e.event_id',
        type: 'e.type',
        accountId: 'e.account_id',
        otherAccountId: 'e.other',
        sessionId: 'e.session_id',
        referringSessionId: 'e.referring',
        requestId: 'e.request_id',
        payload: 'e.payload',
      },
      `from unnest(:eventIds::uuid[], :eventTypes::text[], :eventAccounts::uuid[], :eventOtherAccounts::uuid[],
        :eventSessions::uuid[], :eventReferringSessions::uuid[], :eventRequests::uuid[], :eventTimes::timestamptz[],
        :eventPayloads::bytea[])
        as e (event_id, type, account_id, other, session_id, referring, request_id, at, payload)`,
    )}`,
  [
    ...(['eventIds', 'eventTypes', 'eventAccounts', 'eventOtherAccounts', 'eventSessions'] as const),
    ...(['eventReferringSessions', 'eventRequests', 'eventTimes', 'eventPayloads'] as const),
  ],
);

const DROP_IDENTIFIERS: Statement = {
  name: 'identifier.drop',
  text: `delete from identifiers i using unnest($3::smallint[], $4::bytea[]) as d (kind, value_hash)
         where i.project_id = $1 and i.account_id = $2 and i.kind = d.kind and i.value_hash = d.value_hash`,
};

/** Row of the key `k` of account $2. The account's row has the group of the keys, which a later statement changes. */
const ROW_OF_KEY = `b.project_id = $1 and b.kind = k.kind and b.value_hash = k.value_hash
  and b.account_group = (select a.account_group from accounts a where a.project_id = $1 and a.id = $2) and b.account_id = $2`;

const DROP_BLOCKING_KEYS: Statement = {
  name: 'blocking_key.drop',
  text: `delete from blocking_keys b using unnest($3::smallint[], $4::bytea[]) as k (kind, value_hash) where ${ROW_OF_KEY}`,
};

const MOVE_BLOCKING_KEYS: Statement = {
  name: 'blocking_key.move_group',
  text: `update blocking_keys b set account_group = $5 from unnest($3::smallint[], $4::bytea[]) as k (kind, value_hash)
         where ${ROW_OF_KEY}`,
};

/**
 * Deletes the identifiers of account $2 beyond the history limits, and enqueues recalculations of those that other accounts
 * still share. Changes delete displaced identifiers by key; this statement is for accounts that exceed a limit that was lowered.
 * Comparing with the oldest kept identifier of each kind is linear, whatever the planner's statistics.
 */
export const TRIM_IDENTIFIERS: Statement = {
  name: 'identifier.trim',
  text: `with oldest as materialized (
      select kind, last_seen, value_hash from (${rankedIdentifiers('$2::uuid')}) ranked where place = kept
    ), trimmed as (
      delete from identifiers i using oldest
      where i.project_id = $1 and i.account_id = $2::uuid and i.kind = oldest.kind and (
        i.last_seen < oldest.last_seen or (i.last_seen = oldest.last_seen and i.value_hash > oldest.value_hash))
      returning i.kind, i.value_hash, i.account_group
    )
    insert into link_recalculations (project_id, recalculation_id, kind, value_hash, account_group)
    select $1, gen_random_uuid(), t.kind, t.value_hash, t.account_group from trimmed t
    where exists (
      select 1 from identifiers o
      where o.project_id = $1 and o.kind = t.kind and o.value_hash = t.value_hash and o.account_group = t.account_group
      offset 2 limit 1
    )`,
};

/** A recomputation of match keys does not change the account itself, so its update time is kept. */
const SET_MATCH_KEYS: Statement = {
  name: 'account.set_match_keys',
  text: `update accounts set match_key_version = ${MATCH_KEY_VERSION}, holds_stale_keys = $3, updated_at = $4
         where project_id = $1 and id = $2`,
};

const MOVE_GROUP: Statement = {
  name: 'identifier.move_group',
  text: `update identifiers set account_group = $3
         where project_id = $1 and account_id = $2 and account_group is distinct from $3`,
};

/** Links that changes of a batch remove. Rows are locked in the order of the arrays, which is that of their keys. */
const REMOVE_LINKS = namedStatement(
  'link.remove',
  `delete from links l using unnest(:removedFrom::uuid[], :removedTo::uuid[]) as r (account_id, linked_account_id)
    where l.project_id = :projectId and l.account_id = r.account_id and l.linked_account_id = r.linked_account_id`,
);

/** Matched rules, once per account and session. Events are emitted with the first match only. */
const RECORD_MATCHES = namedStatement(
  'rule.record_matches',
  `with matched as (
      insert into rule_matches (project_id, match_id, rule_id, version, shadow, account_id, session_id, at, outcomes)
      select :projectId, m.match_id, m.rule_id, m.version, m.shadow, :accountId, :sessionId, :now, m.outcomes
      from unnest(:matchIds::uuid[], :ruleIds::uuid[], :ruleVersions::int[], :areShadow::boolean[],
        :outcomes::jsonb[]) as m (match_id, rule_id, version, shadow, outcomes)
      on conflict (project_id, account_id, session_id, rule_id, shadow) do nothing
      returning match_id
    ), ${insertEvents(
      {
        createdAt: ':now',
        eventId: 'e.event_id',
        type: 'e.type',
        accountId: ':accountId',
        sessionId: ':sessionId',
        requestId: ':requestId::uuid',
        payload: 'e.payload',
      },
      `from unnest(:eventMatches::uuid[], :eventIds::uuid[], :eventTypes::text[], :eventPayloads::bytea[]) as e (match_id,
        event_id, type, payload)
       join matched on matched.match_id = e.match_id`,
    )}`,
  ['requestId', 'eventMatches', 'eventIds', 'eventTypes', 'eventPayloads'],
);

type Call = readonly [Statement, readonly unknown[]];

/** The statements of trip 2, in the order of execution. */
export function writeStatements({ projectId }: ProjectDatabase, changes: readonly AccountChange[]): Call[] {
  return [
    ...changes.flatMap((change) => identifierCalls(projectId, change)),
    ...removeLinksCalls(projectId, changes),
    writeCall(projectId, changes),
    ...changes.flatMap((change) => rareCalls(projectId, change)),
  ];
}

/** Statements before the write: what they delete depends on the identifiers that were stored when the change was planned. */
function identifierCalls(projectId: string, { account, identifiers }: AccountChange): Call[] {
  const calls: Call[] = [];
  if (identifiers.isOverLimit) calls.push([TRIM_IDENTIFIERS, [projectId, account.id]]);
  const keys = identifiers.dropped.filter(({ kind }) => isBlockingKind(kind));
  const others = identifiers.dropped.filter(({ kind }) => !isBlockingKind(kind));
  if (others.length > 0) calls.push([DROP_IDENTIFIERS, keyValues(projectId, account.id, others)]);
  if (keys.length > 0) calls.push([DROP_BLOCKING_KEYS, keyValues(projectId, account.id, keys)]);
  if (identifiers.groupMoved) {
    const all = keyValues(projectId, account.id, readBlockingKeys(identifiers.blockingKeys));
    calls.push([MOVE_GROUP, [projectId, account.id, account.account_group]]);
    calls.push([MOVE_BLOCKING_KEYS, [...all, account.account_group]]);
  }
  return calls;
}

function keyValues(projectId: string, accountId: string, keys: readonly IdentifierKey[]) {
  return [projectId, accountId, keys.map(({ kind }) => kind), keys.map(({ hash }) => hash)];
}

/** The statement that removes links, which were stored when the changes were planned; none if they remove none. */
function removeLinksCalls(projectId: string, changes: readonly AccountChange[]): Call[] {
  const values = removedLinkValues(changes);
  return values.removedFrom.length === 0 ? [] : [REMOVE_LINKS.call({ projectId, ...values })];
}

/** Statements of rarer writes, after the write of the account. */
function rareCalls(projectId: string, change: AccountChange): Call[] {
  const { account, recomputed, binding, requestId, now } = change;
  const calls: Call[] = [];
  if (recomputed)
    calls.push([SET_MATCH_KEYS, [projectId, account.id, recomputed.holdsStale, recomputed.updatedAt]]);
  if (binding) calls.push(...sessionCalls(projectId, account.id, binding));
  const by = { id: account.id, sessionId: binding?.sessionId ?? null, requestId, now };
  calls.push(...listCalls(projectId, by, change.lists), ...matchCalls(projectId, change));
  return calls;
}

function matchCalls(projectId: string, { account, binding, matches, requestId, now }: AccountChange): Call[] {
  if (!binding || matches.length === 0) return [];
  const events = matches.flatMap(({ matchId, events }) => events.map((event) => ({ matchId, ...event })));
  return [
    RECORD_MATCHES.call({
      projectId,
      accountId: account.id,
      sessionId: binding.sessionId,
      now,
      requestId,
      matchIds: matches.map(({ matchId }) => matchId),
      ruleIds: matches.map(({ rule }) => rule.ruleId),
      ruleVersions: matches.map(({ rule }) => rule.version),
      areShadow: matches.map(({ isShadow }) => isShadow),
      outcomes: matches.map(({ outcomes }) => JSON.stringify(outcomes)),
      eventMatches: events.map(({ matchId }) => matchId),
      eventIds: events.map(({ eventId }) => eventId),
      eventTypes: events.map(({ type }) => type),
      eventPayloads: events.map(({ payload }) => payload),
    }),
  ];
}

/** Statements that write the decision's effects on the session and its network; most decisions need none. */
function sessionCalls(
  projectId: string,
  accountId: string,
  { sessionId, decision, isNew, rewrittenResult }: NonNullable<AccountChange['binding']>,
): Call[] {
  const calls: Call[] = [];
  if (rewrittenResult) {
    const { result, signals } = rewrittenResult;
    calls.push([WRITE_RESULT, [projectId, sessionId, result, signals]]);
  }
  const values = [projectId, accountId, sessionId];
  if (decision === 'Fake') calls.push([ADD_FRAUD_SIGHTING, values]);
  else if (!isNew) calls.push([REMOVE_FRAUD_SIGHTING, values]);
  return calls;
}

function writeCall(projectId: string, changes: readonly AccountChange[]): Call {
  return WRITE.call({ projectId, ...writeValues(changes) });
}
