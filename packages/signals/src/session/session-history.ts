import type { ProjectCipher } from '@vouchgraph/platform/crypto';
import { evidenceOfHistory } from '../assessment/assess-session.ts';
import type { Evidence, FraudSighting, SessionTrace } from '../evidence/evidence.ts';

/** The past of a session as it is stored; traces of other sessions are still encrypted. */
export type StoredHistory = {
  fraud: FraudSighting[];
  /** Accounts on the device in the last week; the asking account itself is not among them. */
  otherAccountsOnDevice: number | null;
  previous: StoredTrace | null;
  /** The account's nearest later session, when this one is bound after it. */
  following: StoredTrace | null;
};

export type StoredTrace = { sessionId: string; trace: Buffer };

const PURPOSE = 'session trace';

/** Stored form of a trace: what later sessions compare with. The id of the session is authenticated. */
export function encryptTrace(cipher: ProjectCipher, sessionId: string, trace: SessionTrace): Buffer {
  return cipher.encryptJson(PURPOSE, sessionId, trace);
}

/** JSON has no dates. */
export function decryptTrace(cipher: ProjectCipher, sessionId: string, encrypted: Uint8Array): SessionTrace {
  const trace = cipher.decryptJson<SessionTrace>(PURPOSE, sessionId, encrypted);
  return { ...trace, startTime: new Date(trace.startTime) };
}

/** Evidence of the past, of a session alone or of a session and its account. */
export function compareWithHistory(
  cipher: ProjectCipher,
  session: SessionTrace,
  stored: StoredHistory,
  account: { expectedCountries: readonly string[] } | null,
): Evidence[] {
  const { fraud, otherAccountsOnDevice, previous, following } = stored;
  return evidenceOfHistory({
    session,
    previous: previous && decryptTrace(cipher, previous.sessionId, previous.trace),
    following: following && decryptTrace(cipher, following.sessionId, following.trace),
    expectedCountries: account?.expectedCountries ?? [],
    fraud,
    accountsOnDevice: otherAccountsOnDevice === null ? null : otherAccountsOnDevice + (account ? 1 : 0),
  });
}
