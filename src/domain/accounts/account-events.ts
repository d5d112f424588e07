import { type OutboxEvent, outboxEvent } from '../events/outbox-event.ts';
import { matchTypesOf } from '../linking/identifier-kinds.ts';
import type { LinkPlan } from '../linking/plan-links.ts';
import type { Project } from '../projects/project.ts';
import type { MatchedRule } from '../rules/apply-actions.ts';
import type { Session } from '../sessions/session.ts';
import type { Account } from './account.ts';
import type { LinkStrength } from './account-score.ts';
import type { ListChanges } from './plan-lists.ts';

export type ToldChange = {
  session: Session | null;
  accountScore: number;
  decision: string;
  links: LinkPlan;
  lists: Pick<ListChanges, 'added' | 'removed'>;
  strength: LinkStrength;
  now: Date;
  /** Nothing of the account itself changed. */
  relinks: boolean;
};

/** What a change of an account tells the project's listeners. */
export function eventsOf(project: Project, account: Account, told: ToldChange): OutboxEvent[] {
  const { session, links, lists, strength } = told;
  const { row } = account;
  const event = eventOf(project, account, told);
  return [
    ...(session?.row.state === 'open' ? [event('session.completed', {})] : []),
    ...(told.relinks
      ? []
      : [
          event(session ? 'account.authenticated' : 'account.updated', {
            decision: told.decision,
            account_score: told.accountScore,
            bot: account.bot,
            multiple_accounts: account.multipleAccounts(strength),
            risk_signals: account.riskSignals,
            accounts_linked: strength.count,
            lists: row.lists.map(({ name }) => name),
          }),
        ]),
    ...links.added.map((link) =>
      event('account.linked', {
        linked_id: link.accountId,
        score: link.score,
        match_types: matchTypesOf(link.kinds),
      }),
    ),
    ...links.removed.map((linkedId) => event('account.unlinked', { linked_id: linkedId })),
    ...lists.added.map(({ name, source, reason }) =>
      event('list.account_added', { list: name, source, ...(reason === '' ? {} : { reason }) }),
    ),
    ...lists.removed.map(({ name, takenBy, reason }) =>
      event('list.account_removed', { list: name, source: takenBy, reason }),
    ),
  ];
}

/** What a rule that matched tells: that it did, and the events that its actions ask for. */
export function ruleEventsOf(
  project: Project,
  account: Account,
  told: Pick<ToldChange, 'session' | 'now'>,
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

function eventOf(project: Project, { row }: Account, { session, now }: Pick<ToldChange, 'session' | 'now'>) {
  const sessionId = session?.sessionId ?? null;
  return (type: OutboxEvent['type'], data: Record<string, unknown>) =>
    outboxEvent(project.cipher, type, sessionId, { account_id: row.account_id, ...data }, now);
}
