import { LIMITS } from '../../platform/limits.ts';
import type { ProjectDatabase, Row } from '../../storage/database.ts';
import { Account } from '../accounts/account.ts';
import { READ_MATCHES, toHeldIdentifier } from '../accounts/account-change-store.ts';
import {
  accountScore,
  type Decision,
  decide,
  linkStrength,
  multipleAccountsScore,
} from '../accounts/account-score.ts';
import { findAccounts } from '../accounts/account-store.ts';
import { sessionIdentifiers } from '../linking/account-identifiers.ts';
import { holdIdentifiers, planLinks, type StoredLink } from '../linking/plan-links.ts';
import type { Viewer } from '../projects/access-service.ts';
import type { Session } from './session.ts';

export type ScoredSession = {
  session: Session;
  decision: Decision;
  accountScore: number;
  bot: number;
  multipleAccounts: number;
  riskSignals: number;
  /** Accounts that were seen with what this session shows, strongest first. */
  links: StoredLink[];
};

/**
 * Scores a session without an account: as a new account without any contact data would be scored that came with
 * this session. Nothing is written.
 */
export async function scoreSession(viewer: Viewer, session: Session): Promise<ScoredSession> {
  const { database, settings } = viewer.project;
  const rows: Row[] = await readMatches(database, session.sessionId);
  const { held } = holdIdentifiers([], sessionIdentifiers(session.row), [], session.row.start_time);
  const matches = rows.map((row) => ({ ...toHeldIdentifier(row), accountId: row.account_id as string }));
  const links = planLinks(held, matches, [])
    .links.sort((a, b) => b.score - a.score || (a.accountId < b.accountId ? 1 : -1))
    .slice(0, LIMITS.linksPerAccount);
  const { botScore: bot, riskScore: riskSignals } = session.result;
  const multipleAccounts = multipleAccountsScore(linkStrength(links.map(({ score }) => score)), false);
  const score = accountScore({ riskSignals, bot, multipleAccounts, email: 0 });
  return {
    session,
    decision: decide(score, [], settings),
    accountScore: score,
    bot,
    multipleAccounts,
    riskSignals,
    links,
  };
}

function readMatches(database: ProjectDatabase, sessionId: string): Promise<Row[]> {
  return database.query(READ_MATCHES, [database.projectId, sessionId, null, [], [], null]);
}

/** The accounts behind links, in their order; one that was deleted meanwhile is left out. */
export async function accountsOfLinks(
  viewer: Viewer,
  links: readonly StoredLink[],
): Promise<{ account: Account; link: StoredLink }[]> {
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
