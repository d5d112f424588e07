import { newId } from '@vouchgraph/platform/ids';
import { accountHash } from '../audit/account-hash.ts';
import { auditEntry, authorOf } from '../audit/audit-entry.ts';
import { encryptReason } from '../lists/member-reason.ts';
import type { Session } from '../sessions/session.ts';
import type { Account } from './account.ts';
import { joinedEventsOf, leftEventOf } from './account-events.ts';
import type { ListWrites } from './account-lists-store.ts';
import type { ChangeRequest, RequestedChangeContext } from './change-request.ts';
import type { listChanges } from './plan-lists.ts';

/** Writes and events of the lists that the account joins and leaves. */
export function listWrites(
  request: ChangeRequest,
  account: Account,
  session: Session | null,
  { added, removed }: ReturnType<typeof listChanges>,
  { createdLists: created, lists: known, keptOff, pendingMembership: waiting }: RequestedChangeContext,
): ListWrites {
  const { project, actor, accountId, requestId, now, options } = request;
  const auditId = () => (options.imports ? null : newId(now.getTime()));
  const context = { session, now };
  // A request that names a list adds the account explicitly, which allows rules to add it again.
  const lifted = known
    .filter(({ name }) => keptOff.includes(name) && options.listNames.includes(name))
    .map(({ listId, name }) => ({ listId, name, auditId: auditId(), auditActor: actor }));
  const createdLine = (name: string) =>
    auditEntry(request, requestId, now, {
      action: 'list.create',
      target: `list:${name}`,
      after: { description: '', effect: 'none' },
    });
  const hasChanges = created.length + lifted.length + added.length + removed.length > 0;
  return {
    author: hasChanges ? authorOf(request, requestId) : null,
    audits: created.map(createdLine),
    lifted,
    added: added.map((list) => ({
      ...list,
      reasonBytes: encryptReason(project.cipher, accountId, list.reason),
      ...joinedEventsOf(project, account, context, list),
      expiresAt: list.waited?.expiresAt ?? null,
      // An import writes no audit entries of lists, except for a pending membership, which is from another request.
      auditId: list.waited ? newId(now.getTime()) : auditId(),
      auditActor: list.waited || list.source === 'rule' ? list.actor : actor,
    })),
    removed: removed.map((list) => ({
      ...list,
      event: leftEventOf(project, account, context, list),
      auditId: auditId(),
      auditActor: list.removedBy === 'rule' ? `rule:${list.reason}` : actor,
    })),
    pendingAccountId: waiting && accountId,
    pseudonym: accountHash(project.cipher, accountId).short,
  };
}
