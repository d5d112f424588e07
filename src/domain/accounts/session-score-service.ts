import {
  accountScore,
  type Decision,
  decideByScore,
  linkStrength,
  multipleAccountsScore,
} from '@vouchgraph/decisions';
import { mergeIdentifiers, planLinks, type StoredLink, sessionIdentifiers } from '@vouchgraph/linking';
import { LIMITS } from '@vouchgraph/platform/limits';
import { compareWithHistory, decryptTrace, withHistory } from '@vouchgraph/signals';
import type { Viewer } from '../projects/access-service.ts';
import { assertMay } from '../projects/assert-may.ts';
import { readHistoryWithoutAccount } from '../sessions/history-store.ts';
import { Session } from '../sessions/session.ts';
import { findTrace } from '../sessions/session-store.ts';
import { Account } from './account.ts';
import { findAccounts } from './account-store.ts';
import { readLinking } from './linking-read-store.ts';

export type ScoredSession = {
  session: Session;
  decision: Decision;
  accountScore: number;
  bot: number;
  multipleAccounts: number;
  riskSignals: number;
  /** Links by the session's identifiers, strongest first. */
  links: StoredLink[];
};

/**
 * Scores a session without an account, as a new account without contact data would be scored with this session. Writes nothing.
 */
export async function scoreSession(viewer: Viewer, session: Session): Promise<ScoredSession> {
  assertMay(viewer, 'session.score');
  const { database, settings } = viewer.project;
  const [{ matches }, compared] = await Promise.all([
    readLinking(database, { sessionId: session.sessionId }),
    compareAlone(viewer, session),
  ]);
  const { identifiers } = mergeIdentifiers([], sessionIdentifiers(session.row), [], session.row.start_time);
  const links = planLinks(identifiers, matches, [])
    .links.sort((a, b) => b.score - a.score || (a.accountId < b.accountId ? 1 : -1))
    .slice(0, LIMITS.linksPerAccount);
  const { botScore: bot, riskScore: riskSignals } = compared.result;
  const multipleAccounts = multipleAccountsScore(linkStrength(links.map(({ score }) => score)), false);
  const score = accountScore({ riskSignals, bot, multipleAccounts, email: 0 });
  return {
    session: compared,
    decision: decideByScore(score, settings),
    accountScore: score,
    bot,
    multipleAccounts,
    riskSignals,
    links,
  };
}

/** The session compared with its current history. */
async function compareAlone(viewer: Viewer, session: Session): Promise<Session> {
  const { project } = viewer;
  const [trace, past] = await Promise.all([
    findTrace(project.database, session.sessionId),
    readHistoryWithoutAccount(project.database, session.row),
  ]);
  // Purged since it was read.
  if (!trace) return session;
  const opened = decryptTrace(project.cipher, session.sessionId, trace);
  const history = compareWithHistory(project.cipher, opened, past, null);
  return new Session(project, session.row, withHistory(session.result, history, project.calibration));
}

/** The accounts of links, in the same order; accounts deleted concurrently are omitted. */
export async function accountsOfLinks(
  viewer: Viewer,
  links: readonly StoredLink[],
): Promise<{ account: Account; link: StoredLink }[]> {
  assertMay(viewer, 'session.score');
  const rows = await findAccounts(
    viewer.project.database,
    links.map(({ accountId }) => accountId),
  );
  const byId = new Map(rows.map((row) => [row.id, new Account(viewer.project, row)]));
  return links.flatMap((link) => {
    const account = byId.get(link.accountId);
    return account ? [{ account, link }] : [];
  });
}
