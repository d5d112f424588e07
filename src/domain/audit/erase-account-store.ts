import type { ProjectCipher } from '@vouchgraph/platform/crypto';
import type { Call } from '../../storage/database.ts';
import { accountHash } from './account-hash.ts';
import { accountSubject, verificationSubject } from './audit-entry.ts';
import { eraseReasonsCall } from './erase-values-store.ts';

type Account = {
  readonly projectId: string;
  /** Id of the account, assigned by the client. */
  readonly accountId: string;
  readonly cipher: ProjectCipher;
};

/**
 * The reasons of entries about an account or its verifications, with their salts: the entries remain, and the chain remains valid.
 * An `AccountErasure` of `model/`, which is above this folder.
 */
export const auditErasure = {
  deletes: (account: Account, erased: { readonly subjects: readonly string[] }): readonly Call[] => [
    eraseReasonsCall(account.projectId, [subjectOf(account), ...erased.subjects.map(verificationSubject)]),
  ],
  /** Reasons of pending memberships. */
  ofUnknown: (account: Account): readonly Call[] => [
    eraseReasonsCall(account.projectId, [subjectOf(account)]),
  ],
};

function subjectOf({ cipher, accountId }: Account): string {
  return accountSubject(accountHash(cipher, accountId).short);
}
