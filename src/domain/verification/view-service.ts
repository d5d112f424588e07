import { LIMITS } from '../../platform/limits.ts';
import type { AccountRow } from '../accounts/account.ts';
import { readLinking } from '../accounts/account-change-store.ts';
import { findAccounts } from '../accounts/account-store.ts';
import { triggersOf } from '../decisions/conclude.ts';
import { openFacts } from '../decisions/decision-inputs.ts';
import { findDecisionOfSession } from '../decisions/decision-store.ts';
import { sessionIdentifiers } from '../linking/account-identifiers.ts';
import { holdIdentifiers, planLinks } from '../linking/plan-links.ts';
import type { MediaService } from '../media/media-service.ts';
import { READ_URL_SECONDS, type WEBHOOK_URL_SECONDS } from '../media/media-url.ts';
import type { Project } from '../projects/project.ts';
import { compileRuleSet, matchRules } from '../rules/rule-set.ts';
import { readRuleSet } from '../rules/rule-store.ts';
import { Session } from '../sessions/session.ts';
import { findSessions } from '../sessions/session-store.ts';
import {
  decisionAfterLists,
  type MediaUrls,
  matchesOf,
  type Verification,
  type VerificationMatch,
  type VerificationView,
} from './verification.ts';
import { identifiersOf, type VerificationResult } from './verification-result.ts';
import { findLinkedNames } from './verification-store.ts';

export type VerificationViews = ReturnType<typeof createVerificationViews>;

/** Makes what is told of completed verifications: with the lists, rules and links of the moment. */
export function createVerificationViews(deps: { media: MediaService }) {
  const { media } = deps;

  /** Lists, rules and matches are looked up on every call. The verification has to be completed. */
  async function viewOf(verification: Verification): Promise<VerificationView> {
    const { project, row } = verification;
    const result = verification.result!;
    const [sessions, accounts, urls] = await Promise.all([
      findSessions(project.database, [verification.sessionId]),
      row.bound_account_id === null ? [] : findAccounts(project.database, [row.bound_account_id]),
      urlsOf(project, verification.sessionId, READ_URL_SECONDS),
    ]);
    const session = sessions[0] ? new Session(project, sessions[0]) : null;
    const account = accounts[0] ?? null;
    const [rules, matches] = await Promise.all([
      account ? rulesOf(project, verification.sessionId, account) : [],
      account ? matchesOfAccount(project, account) : matchesOfSession(project, session, result),
    ]);
    return {
      verification,
      result,
      decision: decisionAfterLists(result.decision, account?.lists ?? []),
      session,
      accountId: row.account_id ?? account?.account_id ?? null,
      lists: account?.lists.map(({ name }) => name) ?? [],
      rules,
      matches,
      media: urls,
    };
  }

  /** Addresses of what was captured, for as long as their reader needs them. */
  async function urlsOf(
    project: Project,
    sessionId: string,
    seconds: typeof READ_URL_SECONDS | typeof WEBHOOK_URL_SECONDS,
  ): Promise<MediaUrls> {
    const rows = (await media.ofSession(project, sessionId)).filter(({ state }) => state === 'stored');
    const addresses = (kind: (typeof rows)[number]['kind']) =>
      rows.filter((row) => row.kind === kind).map((row) => media.readUrl(project, row.objectId, seconds));
    return {
      face: addresses('portrait')[0] ?? addresses('face_frame')[0] ?? '',
      idScanFront: addresses('id_front')[0] ?? '',
      idScanBack: addresses('id_back')[0] ?? '',
      videos: addresses('face_clip'),
    };
  }

  return { viewOf, urlsOf };
}

/** Names of the rules of now that match what was known when the session was bound, on the lists of now. */
async function rulesOf(project: Project, sessionId: string, account: AccountRow): Promise<string[]> {
  const { database, cipher, projectId } = project;
  const decision = await findDecisionOfSession(database, sessionId);
  if (!decision) return [];
  const read = await readRuleSet(projectId, (statement, values) => database.query(statement, values));
  const stored = openFacts(cipher, decision.decision_id, decision.inputs);
  const facts = { ...stored, lists: account.lists.map(({ name }) => name) };
  return matchRules(compileRuleSet(read), triggersOf({ facts }), facts).live.map(({ name }) => name);
}

async function matchesOfAccount({ database }: Project, { id }: AccountRow): Promise<VerificationMatch[]> {
  return matchesOf(await findLinkedNames(database, id, LIMITS.linksPerAccount));
}

/** Accounts that a new account with this session, face and document would be linked to. */
async function matchesOfSession(
  { database }: Project,
  session: Session | null,
  result: VerificationResult,
): Promise<VerificationMatch[]> {
  if (!session) return [];
  const found = identifiersOf(result);
  const { matches } = await readLinking(database, { sessionId: session.sessionId, identifiers: found });
  const own = [...found, ...sessionIdentifiers(session.row)];
  const { held } = holdIdentifiers([], own, [], session.row.start_time);
  const links = planLinks(held, matches, [])
    .links.sort((a, b) => b.score - a.score || (a.accountId < b.accountId ? 1 : -1))
    .slice(0, LIMITS.linksPerAccount);
  if (links.length === 0) return [];
  const rows = await findAccounts(
    database,
    links.map(({ accountId }) => accountId),
  );
  const names = new Map(rows.map((row) => [row.id, row.account_id]));
  return matchesOf(
    links.flatMap(({ accountId, kinds }) => {
      const name = names.get(accountId);
      return name === undefined ? [] : [{ accountId: name, kinds }];
    }),
  );
}
