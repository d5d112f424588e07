import type { ProjectCipher } from '@vouchgraph/platform/crypto';
import { type Evidence, evidenceOfHistory, type SessionTrace } from '@vouchgraph/signals';
import type { StoredHistory } from './history-store.ts';

const PURPOSE = 'session trace';

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
