import type { LinkStrength, MatchedRule } from '@vouchgraph/decisions';
import { type EventType, type FactsOf, type OutboxEvent, outboxEvent } from '@vouchgraph/events';
import { type LinkPlan, matchTypesOf } from '@vouchgraph/linking';
import type { Project } from '../projects/project.ts';
import type { Session } from '../sessions/session.ts';
import { type SessionSnapshot, sessionSnapshot } from '../sessions/session-snapshot.ts';
import type { Account } from './account.ts';
import { type AccountSnapshot, accountSnapshot } from './account-snapshot.ts';
import type { JoinedList, LeftList } from './plan-lists.ts';

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

/** Events of a change of an account. `linkedIds`: ids of the accounts of added and removed links. */
export function eventsOf(
  project: Project,
  account: Account,
  input: ChangeEventInput,
  linkedIds: ClientIds,
): OutboxEvent[] {
  const { session, links, strength } = input;
  const event = eventOf(project, account, input);
  const snapshot = session && sessionSnapshot(session);
  return [
    ...(snapshot && session.row.state === 'open' ? [event('session.completed', snapshot)] : []),
    ...(input.relinks ? [] : [changeEvent(event, accountSnapshot(account, strength), snapshot)]),
    ...links.added.flatMap(({ accountId, score, kinds }) =>
      linkEvent(accountId, linkedIds, (linkedAccountId) =>
        event('account.linked', { linkedAccountId, score, matchTypes: matchTypesOf(kinds) }, accountId),
      ),
    ),
    ...links.removed.flatMap((accountId) =>
      linkEvent(accountId, linkedIds, (linkedAccountId) =>
        event('account.unlinked', { linkedAccountId }, accountId),
      ),
    ),
  ];
}

type MakeEvent = <Type extends EventType>(
  type: Type,
  facts: Omit<FactsOf<Type>, 'accountId'>,
  otherAccount?: string,
) => OutboxEvent;

/** The account, with the session of the change if there is one. */
function changeEvent(
  event: MakeEvent,
  account: AccountSnapshot,
  session: SessionSnapshot | null,
): OutboxEvent {
  if (!session) return event('account.updated', account);
  return event('account.authenticated', { sessionId: session.sessionId, ...account, session });
}

/** No event for an account that was erased concurrently. */
function linkEvent(
  accountId: string,
  linkedIds: ClientIds,
  event: (linkedAccountId: string) => OutboxEvent,
): OutboxEvent[] {
  const linkedId = linkedIds.get(accountId);
  return linkedId === undefined ? [] : [event(linkedId)];
}

/** Events of a matched rule: `rule.triggered`, and the custom events of its actions. */
export function ruleEventsOf(
  project: Project,
  account: Account,
  input: EventContext,
  { rule, outcomes }: MatchedRule,
): OutboxEvent[] {
  const event = eventOf(project, account, input);
  const of = { ruleId: rule.ruleId, rule: rule.name, ruleVersion: rule.version };
  return [
    event('rule.triggered', { ...of, actions: outcomes }),
    ...outcomes.flatMap((action) =>
      'emitEvent' in action ? [event('rule.custom', { ...of, name: action.emitEvent })] : [],
    ),
  ];
}

type EventContext = Pick<ChangeEventInput, 'session' | 'now'>;

/** Events of an account that joins a list. `ended`: event of an earlier membership that expired and was not removed yet. */
export function joinedEventsOf(project: Project, account: Account, input: EventContext, list: JoinedList) {
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
  return (type, facts, otherAccount) => {
    const all = { accountId: row.account_id, ...facts } as FactsOf<typeof type>;
    return { ...outboxEvent(project.cipher, type, sessionId, all, now), otherAccount };
  };
}
