import { newId } from '../../platform/ids.ts';
import { accountMark } from '../audit/account-mark.ts';
import type { AuditEntry } from '../audit/audit-store.ts';
import type { RuleReference } from '../decisions/decide.ts';
import type { Project } from '../projects/project.ts';
import type { ListChanges } from './plan-lists.ts';

type Change = Pick<AuditEntry, 'action' | 'before' | 'after'> & { readonly list: string };

/** Lines of the audit log for what a request, or the rules that it met, changed about the lists of one account. */
export function listAudits(
  { cipher }: Project,
  accountId: string,
  { created, added, removed }: ListChanges,
  by: {
    actor: string;
    requestId: string;
    now: Date;
    ruleOfList: ReadonlyMap<string, RuleReference>;
  },
): AuditEntry[] {
  const accounts = [accountMark(cipher, accountId).short];
  const changes: Change[] = [
    ...created.map(({ name, description, effect }) => ({
      action: 'list.create',
      list: name,
      after: { description, effect },
    })),
    ...added.map(({ name }) => ({ action: 'list.add_accounts', list: name, after: { accounts } })),
    ...removed.map(({ name }) => ({ action: 'list.remove_accounts', list: name, before: { accounts } })),
  ];
  return changes.map(({ list, ...change }) => {
    const rule = by.ruleOfList.get(list);
    return {
      auditId: newId(by.now.getTime()),
      at: by.now,
      actor: rule ? `rule:${rule.name}` : by.actor,
      target: `list:${list}`,
      requestId: by.requestId,
      ...change,
    };
  });
}
