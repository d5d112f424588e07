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
  const came = session && sessionRecord(session);
  return [
    ...(came && session.row.state === 'open' ? [event('session.completed', came)] : []),
    ...(told.relinks ? [] : [changeEvent(event, accountRecord(account, strength), came)]),
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

/** The account state record, with the session where one brought the change. */
function changeEvent(
  event: MakeEvent,
  record: Record<string, unknown>,
  session: Record<string, unknown> | null,
): OutboxEvent {
  if (!session) return event('account.updated', record);
  return event('account.authenticated', { session_id: session.session_id, ...record, session });
}

/** Of a partner that was erased meanwhile nothing is told. */
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

/** What a rule that matched tells: that it did, and the events that its actions ask for. */
export function ruleEventsOf(
  project: Project,
  account: Account,
  told: Told,
  { rule, outcomes }: MatchedRule,
): OutboxEvent[] {
  const event = eventOf(project, account, told);
  const of = { rule_id: rule.ruleId, rule: rule.name, rule_version: rule.version };
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
  return (type, data, otherAccount) => ({
    ...outboxEvent(project.cipher, type, sessionId, { account_id: row.account_id, ...data }, now),
    otherAccount,
  });
}
