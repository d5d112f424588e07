import type { LinkStrength } from '../decisions/account-score.ts';
import type { EventFacts } from '../events/documented-data.ts';
import { type OutboxEvent, outboxEvent } from '../events/outbox-event.ts';
import { matchTypesOf } from '../identifiers/identifier-kinds.ts';
import type { LinkPlan } from '../linking/plan-links.ts';
import type { ListMembership } from '../model/account-row.ts';
import type { Project } from '../projects/project.ts';
import type { MatchedRule } from '../rules/apply-actions.ts';
import type { Session } from '../sessions/session.ts';
import { type SessionSnapshot, sessionSnapshot } from '../sessions/session-snapshot.ts';
import type { Account } from './account.ts';
import { type AccountSnapshot, accountSnapshot } from './account-snapshot.ts';
import type { LeftList } from './plan-lists.ts';

export type ToldChange = {
  session: Session | null;
  links: LinkPlan;
  strength: LinkStrength;
  now: Date;
  /** Nothing of the account itself changed. */
  relinks: boolean;
};

/** Accounts by their internal ids: what the client calls them. */
export type ClientIds = ReadonlyMap<string, string>;

/** The accounts that are linked afterwards, as the client calls them. */
export function linkedOf({ links }: LinkPlan, names: ClientIds): { accountId: string; kinds: number }[] {
  return links.flatMap(({ accountId, kinds }) => {
    const name = names.get(accountId);
    return name === undefined ? [] : [{ accountId: name, kinds }];
  });
}

/** What a change of an account tells the project's listeners. `partners`: of the links that came and went. */
export function eventsOf(
  project: Project,
  account: Account,
  told: ToldChange,
  partners: ClientIds,
): OutboxEvent[] {
  const { session, links, strength } = told;
  const event = eventOf(project, account, told);
  const came = session && sessionSnapshot(session);
  return [
    ...(came && session.row.state === 'open' ? [event('session.completed', came)] : []),
    ...(told.relinks ? [] : [changeEvent(event, accountSnapshot(account, strength), came)]),
    ...links.added.flatMap(({ accountId, score, kinds }) =>
      linkEvent(event, 'account.linked', accountId, partners, { score, matchTypes: matchTypesOf(kinds) }),
    ),
    ...links.removed.flatMap((accountId) => linkEvent(event, 'account.unlinked', accountId, partners, {})),
  ];
}

type MakeEvent = (type: OutboxEvent['type'], facts: EventFacts, otherAccount?: string) => OutboxEvent;

/** The account, with the session where one brought the change. */
function changeEvent(
  event: MakeEvent,
  account: AccountSnapshot,
  session: SessionSnapshot | null,
): OutboxEvent {
  if (!session) return event('account.updated', account);
  return event('account.authenticated', { sessionId: session.sessionId, ...account, session });
}

/** Of a partner that was erased meanwhile nothing is told. */
function linkEvent(
  event: MakeEvent,
  type: 'account.linked' | 'account.unlinked',
  partner: string,
  partners: ClientIds,
  facts: EventFacts,
): OutboxEvent[] {
  const linkedId = partners.get(partner);
  return linkedId === undefined ? [] : [event(type, { linkedAccountId: linkedId, ...facts }, partner)];
}

/** What a rule that matched tells: that it did, and the events that its actions ask for. */
export function ruleEventsOf(
  project: Project,
  account: Account,
  told: Told,
  { rule, outcomes }: MatchedRule,
): OutboxEvent[] {
  const event = eventOf(project, account, told);
  const of = { ruleId: rule.ruleId, rule: rule.name, ruleVersion: rule.version };
  return [
    event('rule.triggered', { ...of, actions: outcomes }),
    ...outcomes.flatMap((action) =>
      'emitEvent' in action ? [event('rule.custom', { ...of, name: action.emitEvent })] : [],
    ),
  ];
}

type Told = Pick<ToldChange, 'session' | 'now'>;

/** That an account came on a list, and that its earlier time on it had ended: told where nobody removed it yet. */
export function joinedEventsOf(project: Project, account: Account, told: Told, list: ListMembership) {
  const { name, source, reason } = list;
  const event = eventOf(project, account, told);
  return {
    event: event('list.account_added', { list: name, source, ...(reason === '' ? {} : { reason }) }),
    ended: event('list.account_removed', { list: name, source: 'system', reason: 'expired' }),
  };
}

/** That an account left a list. */
export function leftEventOf(project: Project, account: Account, told: Told, list: LeftList): OutboxEvent {
  const { name, takenBy, reason } = list;
  return eventOf(project, account, told)('list.account_removed', { list: name, source: takenBy, reason });
}

function eventOf(project: Project, { row }: Account, { session, now }: Told): MakeEvent {
  const sessionId = session?.sessionId ?? null;
  return (type, facts, otherAccount) => ({
    ...outboxEvent(project.cipher, type, sessionId, { accountId: row.account_id, ...facts }, now),
    otherAccount,
  });
}
