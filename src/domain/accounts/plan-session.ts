import { compareWithHistory, decryptTrace, signalBits, withHistory } from '@vouchgraph/signals';
import type { Project } from '../projects/project.ts';
import { Session } from '../sessions/session.ts';
import type { ChangeContext } from './account-change-store.ts';

/**
 * The session compared with the account's history (`session`), and as it is stored. The comparison replaces that with another
 * account.
 */
export function comparedSession(
  project: Project,
  { session, trace, past }: ChangeContext,
  expectedCountries: readonly string[],
): { session: Session; stored: Session } | null {
  if (!session) return null;
  const stored = new Session(project, session);
  const opened = decryptTrace(project.cipher, session.session_id, trace!);
  const history = compareWithHistory(project.cipher, opened, past!, { expectedCountries });
  return {
    session: new Session(project, session, withHistory(stored.result, history, project.calibration)),
    stored,
  };
}

/** The session's encrypted result and its raised signals, if they differ from the stored ones; otherwise null. */
export function rewrittenResult(
  project: Project,
  compared: Session,
  { result: stored }: Session,
): { result: Buffer; signals: number } | null {
  const { result } = compared;
  const isSame =
    JSON.stringify(stored.history) === JSON.stringify(result.history) &&
    stored.calibrationVersion === result.calibrationVersion;
  if (isSame) return null;
  const encrypted = project.cipher.encryptCompactJson('sessions', compared.sessionId, result);
  return { result: encrypted, signals: signalBits(result.riskSignals) };
}
