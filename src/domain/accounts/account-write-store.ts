import type { ActionOutcome, Rule } from '@vouchgraph/decisions';
import type { OutboxEvent } from '@vouchgraph/events';
import {
  type AccountIdentifier,
  type LinkPlan,
  MATCH_KEY_VERSION,
  rankedIdentifiers,
  type StoredLink,
} from '@vouchgraph/linking';
import type { ProjectDatabase, Statement } from '../../storage/database.ts';
import { namedStatement } from '../../storage/named-statement.ts';
import { insertEvents, referringSessionOf } from '../events/insert-events-store.ts';
import type { AccountRow } from '../model/account-row.ts';
import { ADD_FRAUD_SIGHTING, REMOVE_FRAUD_SIGHTING } from '../sessions/history-store.ts';
import { WRITE_RESULT } from '../sessions/session-store.ts';
import { type ListWrites, listCalls } from './account-lists-store.ts';
import type { AccountStanding } from './account-standing.ts';

/*
 * Trip 2 of a change: one data-modifying statement for the writes of every change, and one more for each rarer write. No row is
 * modified by two parts of a statement. Rows of other accounts are never updated: links have their own rows. Accounts whose
 * scores depend on the change are flagged for recalculation, and so is the account itself if this process has outdated settings
 * of the project.
 */

const WRITE = namedStatement(
  'account.write',
  `with account as (
      insert into accounts (project_id, id, account_id, account_group, personal, expected_countries, first_seen,
        last_seen, last_session, country, countries, num_sessions, unique_devices_1d, unique_devices_7d,
        unique_networks_1d, unique_networks_7d, aggregates, created_at, updated_at,
        match_key_version)
      values (:projectId, :id, :accountId, :accountGroup, :personal, :expectedCountries, :firstSeen, :lastSeen,
        :lastSession, :country, :countries, :numSessions, :uniqueDevices1d, :uniqueDevices7d, :uniqueNetworks1d,
        :uniqueNetworks7d, :aggregates, :createdAt, :now, ${MATCH_KEY_VERSION})
      on conflict (project_id, id) do update set
        account_group = excluded.account_group, personal = excluded.personal,
        expected_countries = excluded.expected_countries, first_seen = excluded.first_seen,
        last_seen = excluded.last_seen, last_session = excluded.last_session, country = excluded.country,
        countries = excluded.countries, num_sessions = excluded.num_sessions,
        unique_devices_1d = excluded.unique_devices_1d, unique_devices_7d = excluded.unique_devices_7d,
        unique_networks_1d = excluded.unique_networks_1d, unique_networks_7d = excluded.unique_networks_7d,
        aggregates = excluded.aggregates, updated_at = excluded.updated_at
    ), standing as (
      insert into account_standing (project_id, account_id, account_group, account_score, decision, country,
        num_sessions, last_seen, created_at)
      values (:projectId, :id, :accountGroup, :standingScore, :standingDecision, :country, :numSessions, :lastSeen, :createdAt)
      on conflict (project_id, account_id) do update set
        account_group = excluded.account_group, account_score = excluded.account_score, decision = excluded.decision,
        country = excluded.country, num_sessions = excluded.num_sessions, last_seen = excluded.last_seen
    ), flagged as (
      insert into standing_flags (project_id, account_id)
      select :projectId, f.account_id from unnest(:rescored::uuid[]) as f (account_id)
      union all
      select :projectId, :id from projects p where p.project_id = :projectId and p.settings_version <> :settingsVersion::int
    ), binding as (
      insert into account_sessions (project_id, account_id, session_id, session_start, bound_at, request_id, country,
        scores, account_score, decision, versions)
      select :projectId, :id, :sessionId::uuid, :sessionStart::timestamptz, :now, :requestId::uuid, :sessionCountry::text,
        :scores::float8[], :pairScore::float8, :pairDecision::text, :versions::jsonb
      where :sessionId::uuid is not null
      on conflict (project_id, account_id, session_id) do update set
        request_id = excluded.request_id, country = excluded.country, scores = excluded.scores,
        account_score = excluded.account_score, decision = excluded.decision, versions = excluded.versions
    ), session as (
      update sessions set state = 'complete', completed_at = :now
      where project_id = :projectId and session_id = :sessionId::uuid and state = 'open'
    ), identifier as (
      insert into identifiers (project_id, account_id, kind, value_hash, account_group, first_seen, last_seen, uses)
      select :projectId, :id, i.kind, i.value_hash, :accountGroup, i.first_seen, i.last_seen, i.uses
      from unnest(:identifierKinds::smallint[], :identifierHashes::bytea[], :identifiersFirstSeen::timestamptz[],
        :identifiersLastSeen::timestamptz[], :identifierUses::int[])
        as i (kind, value_hash, first_seen, last_seen, uses)
      on conflict (project_id, account_id, kind, value_hash) do update set
        account_group = excluded.account_group, first_seen = excluded.first_seen, last_seen = excluded.last_seen,
        uses = identifiers.uses + :addedUses::int
    ), link as (
      insert into links (project_id, account_id, linked_account_id, score, kinds, first_seen, last_seen, bridges)
      select :projectId, l.account_id, l.linked_account_id, l.score, l.kinds, l.first_seen, l.last_seen, l.bridges
      from unnest(:linksFrom::uuid[], :linksTo::uuid[], :linkScores::float8[], :linkKinds::int[],
        :linksFirstSeen::timestamptz[], :linksLastSeen::timestamptz[],
        :linkBridges::boolean[]) as l (account_id, linked_account_id, score, kinds, first_seen, last_seen, bridges)
      on conflict (project_id, account_id, linked_account_id) do update set
        score = excluded.score, kinds = excluded.kinds, first_seen = excluded.first_seen,
        last_seen = excluded.last_seen, bridges = excluded.bridges
    ), identity as (
      insert into identity_recalculations (project_id, recalculation_id, account_id)
      select :projectId, gen_random_uuid(), :id where :movesIdentity::boolean
    ), decided as (
      insert into decisions (project_id, decision_id, account_id, session_id, request_id, at, first_session, decision,
        account_score, versions, inputs)
      select :projectId, :decisionId::uuid, :id, :sessionId::uuid, :requestId::uuid, :now, :isFirstSession::boolean,
        :pairDecision::text, :pairScore::float8, :versions::jsonb, :decisionInputs::bytea
      where :decisionId::uuid is not null
    )
    ${insertEvents(
      {
        createdAt: ':now',
        eventId: 'e.event_id',
        type: 'e.type',
        accountId: ':id',
        otherAccountId: 'e.other',
        sessionId: 'e.session_id',
        referringSessionId: `case when e.session_id = :sessionId::uuid then ${referringSessionOf(':sessionId::uuid')} end`,
        requestId: ':requestId::uuid',
        payload: 'e.payload',
      },
      `from unnest(:eventIds::uuid[], :eventTypes::text[], :eventSessions::uuid[], :eventPayloads::bytea[],
        :eventOtherAccounts::uuid[])
        as e (event_id, type, session_id, payload, other)`,
    )}`,
  ['eventIds', 'eventTypes', 'eventSessions', 'eventPayloads', 'eventOtherAccounts'],
);

const DROP_IDENTIFIERS: Statement = {
  name: 'identifier.drop',
  text: `delete from identifiers i using unnest($3::smallint[], $4::bytea[]) as d (kind, value_hash)
         where i.project_id = $1 and i.account_id = $2 and i.kind = d.kind and i.value_hash = d.value_hash`,
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

const REMOVE_LINKS: Statement = {
  name: 'link.remove',
  text: `delete from links l using unnest($3::uuid[]) as r (id)
         where l.project_id = $1 and ((l.account_id = $2 and l.linked_account_id = r.id)
                                   or (l.account_id = r.id and l.linked_account_id = $2))`,
};

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
    )
    ${insertEvents(
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

export type AccountChange = {
  account: AccountRow;
  requestId: string;
  now: Date;
  binding: {
    sessionId: string;
    startTime: Date;
    country: string;
    scores: readonly number[];
    accountScore: number;
    decision: string;
    versions: Record<string, unknown>;
    isNew: boolean;
    /** The session's encrypted result and its raised signals, when they differ from the stored ones. */
    rewrittenResult: { readonly result: Buffer; readonly signals: number } | null;
    decisionId: string;
    isFirstSession: boolean;
    /** Encrypted inputs and outcome of the decision. */
    encryptedInputs: Buffer;
  } | null;
  /** Matched rules. */
  matches: readonly {
    matchId: string;
    rule: Rule;
    isShadow: boolean;
    outcomes: readonly ActionOutcome[];
    events: readonly OutboxEvent[];
  }[];
  identifiers: {
    written: readonly AccountIdentifier[];
    dropped: readonly AccountIdentifier[];
    /** Whether more identifiers beyond the limits can be stored than were read. */
    isOverLimit: boolean;
    groupMoved: boolean;
  };
  /** State of the row after a recomputation of match keys; null for other changes. */
  recomputed: { holdsStale: boolean; updatedAt: Date } | null;
  links: Pick<LinkPlan, 'changed' | 'removed' | 'movesIdentity' | 'rescored'>;
  /** Score and decision as computed by a read after the change. */
  standing: AccountStanding & { readonly settingsVersion: number };
  lists: ListWrites;
  events: readonly OutboxEvent[];
};

type Call = readonly [Statement, readonly unknown[]];

/** The statements of trip 2, in the order of execution. */
export function writeStatements(database: ProjectDatabase, change: AccountChange): Call[] {
  const { projectId } = database;
  const { account, identifiers, links } = change;
  const calls: Call[] = [];
  // First: it depends on the identifiers that were stored when the change was planned.
  if (identifiers.isOverLimit) calls.push([TRIM_IDENTIFIERS, [projectId, account.id]]);
  if (identifiers.dropped.length > 0) {
    const { dropped } = identifiers;
    calls.push([
      DROP_IDENTIFIERS,
      [projectId, account.id, dropped.map(({ kind }) => kind), dropped.map(({ hash }) => hash)],
    ]);
  }
  if (identifiers.groupMoved) calls.push([MOVE_GROUP, [projectId, account.id, account.account_group]]);
  if (links.removed.length > 0) calls.push([REMOVE_LINKS, [projectId, account.id, links.removed]]);
  calls.push(writeCall(projectId, change));
  if (change.recomputed) {
    const { holdsStale, updatedAt } = change.recomputed;
    calls.push([SET_MATCH_KEYS, [projectId, account.id, holdsStale, updatedAt]]);
  }
  if (change.binding) calls.push(...sessionCalls(projectId, account.id, change.binding));
  const { requestId, now, binding } = change;
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

function writeCall(projectId: string, change: AccountChange): Call {
  const { account, binding, identifiers, events } = change;
  const rows = linkRows(account.id, change.links.changed);
  return WRITE.call({
    projectId,
    id: account.id,
    accountId: account.account_id,
    accountGroup: account.account_group,
    personal: account.personal,
    expectedCountries: account.expected_countries,
    firstSeen: account.first_seen,
    lastSeen: account.last_seen,
    lastSession: account.last_session,
    country: account.country,
    countries: account.countries,
    numSessions: account.num_sessions,
    uniqueDevices1d: account.unique_devices_1d,
    uniqueDevices7d: account.unique_devices_7d,
    uniqueNetworks1d: account.unique_networks_1d,
    uniqueNetworks7d: account.unique_networks_7d,
    aggregates:
      typeof account.aggregates === 'string' ? account.aggregates : JSON.stringify(account.aggregates),
    createdAt: account.created_at,
    now: change.now,
    sessionId: binding?.sessionId ?? null,
    sessionStart: binding?.startTime ?? null,
    requestId: change.requestId,
    sessionCountry: binding?.country ?? null,
    scores: binding?.scores ?? null,
    pairScore: binding?.accountScore ?? null,
    pairDecision: binding?.decision ?? null,
    versions: binding ? JSON.stringify(binding.versions) : null,
    identifierKinds: identifiers.written.map(({ kind }) => kind),
    identifierHashes: identifiers.written.map(({ hash }) => hash),
    identifiersFirstSeen: identifiers.written.map(({ firstSeen }) => firstSeen),
    identifiersLastSeen: identifiers.written.map(({ lastSeen }) => lastSeen),
    addedUses: binding === null || binding.isNew ? 1 : 0,
    linksFrom: rows.map(({ from }) => from),
    linksTo: rows.map(({ to }) => to),
    linkScores: rows.map(({ link }) => link.score),
    linkKinds: rows.map(({ link }) => link.kinds),
    linksFirstSeen: rows.map(({ link }) => link.firstSeen),
    linksLastSeen: rows.map(({ link }) => link.lastSeen),
    eventIds: events.map(({ eventId }) => eventId),
    eventTypes: events.map(({ type }) => type),
    eventSessions: events.map(({ sessionId }) => sessionId),
    eventPayloads: events.map(({ payload }) => payload),
    linkBridges: rows.map(({ link }) => link.bridges),
    movesIdentity: change.links.movesIdentity,
    decisionId: binding?.decisionId ?? null,
    isFirstSession: binding?.isFirstSession ?? null,
    decisionInputs: binding?.encryptedInputs ?? null,
    eventOtherAccounts: events.map(({ otherAccount = null }) => otherAccount),
    identifierUses: identifiers.written.map(({ uses }) => uses),
    standingScore: change.standing.score,
    standingDecision: change.standing.decision,
    rescored: change.links.rescored,
    settingsVersion: change.standing.settingsVersion,
  });
}

/** Both directions of each link, sorted, so that concurrent writers lock rows in the same order. */
function linkRows(accountId: string, links: readonly StoredLink[]) {
  const rows = links.flatMap((link) => [
    { from: accountId, to: link.accountId, link },
    { from: link.accountId, to: accountId, link },
  ]);
  return rows.sort((a, b) => (a.from === b.from ? (a.to < b.to ? -1 : 1) : a.from < b.from ? -1 : 1));
}
