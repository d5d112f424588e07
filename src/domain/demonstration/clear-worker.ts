import { newId } from '@vouchgraph/platform/ids';
import type { Database } from '../../storage/database.ts';
import {
  deleteUnusedRules,
  findListName,
  findRuleState,
  findUnboundSessions,
} from './demonstration-store.ts';
import { DEMONSTRATION_GROUP } from './plan/demonstration-plan.ts';
import type { SetIds } from './set-ids.ts';
import { orNotFound, type Step, type StepContext, step, unlessError } from './step.ts';

/**
 * Steps of a removal, in their order. They need the ids of the set alone. Rules are archived first, so that they add no account to a
 * list that is deleted.
 */
export function clearSteps(ids: SetIds, system: Pick<Database['system'], 'query'>): Step[] {
  const ruleIds = Object.values(ids.rules);
  return [
    ...ruleIds.map((ruleId) => step((context) => archiveRule(context, ruleId))),
    step(bindSessions),
    ...Object.values(ids.accounts).map((id) => step((context) => eraseAccount(context, id))),
    ...Object.values(ids.lists).map((listId) => step((context) => deleteList(context, listId))),
    step(({ services, viewer }) => orNotFound(services.webhooks.remove(viewer, newId(), ids.endpoint))),
    step(({ viewer }) => deleteUnusedRules(system, viewer.project.projectId, ruleIds)),
  ];
}

async function archiveRule({ services, viewer }: StepContext, ruleId: string): Promise<void> {
  const state = await findRuleState(viewer.project.database, ruleId);
  if (state === null || state === 'archived') return;
  await services.rules.update(viewer, newId(), ruleId, { state: 'archived' });
}

/**
 * Binds sessions that an interrupted filling left unbound to their accounts, so that the erasures of these include them. Maintenance
 * purges those that are expired.
 */
async function bindSessions({ services, viewer, ids }: StepContext): Promise<void> {
  const accountOf = new Map(ids.visits.map(({ session, account }) => [session, ids.accounts[account]!]));
  for (const session of await findUnboundSessions(viewer.project.database, [...accountOf.keys()])) {
    const account = { id: accountOf.get(session)!, group: DEMONSTRATION_GROUP };
    await unlessError(
      services.accounts.authenticate(viewer, newId(), account, session),
      ({ code }) => code === 'session.expired' || code === 'session.not_found',
    );
  }
}

async function eraseAccount({ services, viewer }: StepContext, accountId: string): Promise<void> {
  await orNotFound(services.accounts.remove(viewer, newId(), accountId));
}

/** Deletes a list, unless another rule names it: that rule is the user's, and the list stays. */
async function deleteList({ services, viewer }: StepContext, listId: string): Promise<void> {
  const name = await findListName(viewer.project.database, listId);
  if (name === null) return;
  await unlessError(
    services.lists.remove(viewer, newId(), name),
    ({ code, kind }) => kind === 'not_found' || code === 'list.in_use',
  );
}
