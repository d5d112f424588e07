import type { VerificationKey } from '../../domain/verification/find-verification-service.ts';
import type { CollectSubjects } from '../kernel/declared-facts.ts';

/** Subjects of a verification. The account that it was created for may not exist yet. */
export const byVerification: CollectSubjects<VerificationKey> = ({ sessionId, accountId }, subjects) => {
  subjects.addSession(sessionId);
  if (accountId !== null) subjects.mentionAccountId(accountId);
};

/** Subjects of the payload of a mutation that changes a verification. */
export const byChangedVerification: CollectSubjects<{ readonly verification: VerificationKey }> = (
  { verification },
  subjects,
) => byVerification(verification, subjects);
