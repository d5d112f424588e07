import type { LinkStrength } from '../decisions/account-score.ts';
import { type OutboxEvent, outboxEvent } from '../events/outbox-event.ts';
import { matchTypesOf } from '../identifiers/identifier-kinds.ts';
import type { LinkPlan } from '../linking/plan-links.ts';
import type { ListMembership } from '../model/account-row.ts';
import type { Project } from '../projects/project.ts';
import type { MatchedRule } from '../rules/apply-actions.ts';
import type { Session } from '../sessions/session.ts';
import { sessionRecord } from '../sessions/session-record.ts';
import type { Account } from './account.ts';
import { accountRecord } from './account-record.ts';
import type { LeftList } from './plan-lists.ts';

export type ChangeEventInput = {
  session: Session | null;
  links: LinkPlan;
  strength: LinkStrength;
  now: Date;
  /** Whether only links changed, not the account itself. */
  relinks: boolean;
};

/** The client's ids of accounts, by internal id. */
export type ClientIds = ReadonlyMap<string, string>;

/** The accounts that are linked after the change, by the client's ids. */
export function linkedOf({ links }: LinkPlan, clientIds: ClientIds): { accountId: string; kinds: number }[] {
  return links.flatMap(({ accountId, kinds }) => {
    const clientId = clientIds.get(accountId);
    return clientId === undefined ? [] : [{ accountId: clientId, kinds }];
  });
}

/** Events of a change of an account. `partners`: ids of the accounts of added and removed links. */
export function eventsOf(
  project: Project,
  account: Account,
  input: ChangeEventInput,
  partners: ClientIds,
): OutboxEvent[] {
  const { session, links, strength } = input;
  const event = eventOf(project, account, input);
  const record = session && sessionRecord(session);
  return [
    ...(record && session.row.state === 'open' ? [event('session.completed', record)] : []),
    ...(input.relinks ? [] : [changeEvent(event, accountRecord(account, strength), record)]),
    ...links.added.flatMap(({ accountId, score, kinds }) =>
      linkEvent(event, 'account.linked', accountId, partners, { score, match_types: matchTypesOf(kinds) }),
    ),
    ...links.removed.flatMap((accountId) => linkEvent(event, 'account.unlinked', accountId, partners, {})),
  ];
}

type MakeEvent = (
  type: OutboxEvent['type'],
  data: Record<string, unknown>,
  otherAccount?: string,
) => OutboxEvent;

/** The account state record, with the session of the change if there is one. */
function changeEvent(
  event: MakeEvent,
  record: Record<string, unknown>,
  session: Record<string, unknown> | null,
): OutboxEvent {
  if (!session) return event('account.updated', record);
  return event('account.authenticated', { session_id: session.session_id, ...record, session });
}

/** No event for a partner that was erased concurrently. */
function linkEvent(
  event: MakeEvent,
  type: 'account.linked' | 'account.unlinked',
  partner: string,
  partners: ClientIds,
  data: Record<string, unknown>,
): OutboxEvent[] {
  const linkedId = partners.get(partner);
  return linkedId === undefined ? [] : [event(type, { linked_account_id: linkedId, ...data }, partner)];
}

/** Events of a matched rule: `rule.triggered`, and the custom events of its actions. */
export function ruleEventsOf(
  project: Project,
  account: Account,
  input: EventContext,
  { rule, outcomes }: MatchedRule,
): OutboxEvent[] {
  const event = eventOf(project, account, input);
  const of = { rule_id: rule.ruleId, rule: rule.name, rule_version: rule.version };
  return [
    event('rule.triggered', { ...of, actions: outcomes }),
    ...outcomes.flatMap((action) =>
      'emitEvent' in action ? [event('rule.custom', { ...of, name: action.emitEvent })] : [],
    ),
  ];
}

type EventContext = Pick<ChangeEventInput, 'session' | 'now'>;

/** Events of an account that joins a list. `ended`: event of an earlier membership that expired and was not removed yet. */
export function joinedEventsOf(
  project: Project,
  account: Account,
  input: EventContext,
  list: ListMembership,
) {
  const { name, source, reason } = list;
  const event = eventOf(project, account, input);
  return {
    event: event('list.account_added', { list: name, source, ...(reason === '' ? {} : { reason }) }),
    ended: event('list.account_removed', { list: name, source: 'system', reason: 'expired' }),
  };
}

/** Event of an account that leaves a list. */
export function leftEventOf(
  project: Project,
  account: Account,
  input: EventContext,
  list: LeftList,
): OutboxEvent {
  const { name, removedBy, reason } = list;
  return eventOf(project, account, input)('list.account_removed', { list: name, source: removedBy, reason });
}

function eventOf(project: Project, { row }: Account, { session, now }: EventContext): MakeEvent {
  const sessionId = session?.sessionId ?? null;
  return (type, data, otherAccount) => ({
    ...outboxEvent(project.cipher, type, sessionId, { account_id: row.account_id, ...data }, now),
    otherAccount,
  });
}
