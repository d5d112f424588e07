import { LIMITS } from '../../../platform/limits.ts';
import type { Row, Statement } from '../../../storage/database.ts';
import { findAccounts } from '../../accounts/account-store.ts';
import { linkingCall, toLinking } from '../../accounts/linking-read-store.ts';
import { sessionIdentifiers } from '../../linking/account-identifiers.ts';
import { mergeIdentifiers, planLinks } from '../../linking/plan-links.ts';
import { FIND_CLIENT_IDS } from '../../linking/rescore-store.ts';
import type { MediaService } from '../../media/media-service.ts';
import type { MediaRow } from '../../media/media-store.ts';
import { READ_URL_SECONDS, type WEBHOOK_URL_SECONDS } from '../../media/media-url.ts';
import type { AccountRow } from '../../model/account-row.ts';
import type { Project } from '../../projects/project.ts';
import { Session } from '../../sessions/session.ts';
import { findSessions } from '../../sessions/session-store.ts';
import { decisionOfReview } from '../review/review.ts';
import { findCheckRules } from './check-rules-store.ts';
import { findLinkedNames } from './linked-names-store.ts';
import {
  decisionAfterLists,
  type MediaUrls,
  matchesOf,
  ruleNamesOf,
  type Verification,
  type VerificationMatch,
  type VerificationView,
} from './verification.ts';
import { identifiersOf, type VerificationResult } from './verification-result.ts';

export type VerificationViews = ReturnType<typeof createVerificationViews>;

/** Makes the views of completed verifications: with the lists and links of the moment, and the rules behind them. */
export function createVerificationViews(deps: { media: MediaService }) {
  const { media } = deps;

  /** Lists and rules are looked up on every call, for all of them together. They have to be completed. */
  async function viewsOf(
    project: Project,
    verifications: readonly Verification[],
  ): Promise<VerificationView[]> {
    const ids = verifications.map(({ sessionId }) => sessionId);
    const bound = verifications.flatMap(({ row }) => row.bound_account_id ?? []);
    const pairs = verifications.flatMap(({ row: { bound_account_id: account }, sessionId }) =>
      account === null ? [] : [{ account, sessionId }],
    );
    const [sessions, accounts, objects, rules] = await Promise.all([
      findSessions(project.database, ids),
      bound.length === 0 ? [] : findAccounts(project.database, [...new Set(bound)]),
      media.ofSessions(project, ids),
      findCheckRules(project.database, pairs),
    ]);
    const accountOf = new Map(accounts.map((row) => [row.id, row]));
    const sessionOf = new Map(sessions.map((row) => [row.session_id, new Session(project, row)]));
    return verifications.map((verification) => {
      const { row, sessionId } = verification;
      const result = verification.result!;
      const session = sessionOf.get(sessionId) ?? null;
      const account = accountOf.get(row.bound_account_id ?? '') ?? null;
      return {
        verification,
        result,
        decision: decisionAfterLists(result.decision, account?.lists ?? [], decisionOfReview(row.review)),
        session,
        accountId: row.account_id ?? account?.account_id ?? null,
        lists: account?.lists.map(({ name }) => name) ?? [],
        rules: account ? ruleNamesOf(rules, { account, sessionId }) : [],
        matches: () =>
          account
            ? matchesOfAccount(project, account)
            : matchesOfSession(
                project,
                (statement, values) => project.database.query(statement, values),
                session,
                result,
              ),
        media: urlsFrom(
          project,
          objects.filter((object) => object.sessionId === sessionId),
          READ_URL_SECONDS,
        ),
      };
    });
  }

  /** URLs of the captured files, valid as long as their reader needs them. */
  async function urlsOf(
    project: Project,
    sessionId: string,
    seconds: typeof READ_URL_SECONDS | typeof WEBHOOK_URL_SECONDS,
  ): Promise<MediaUrls> {
    return urlsFrom(project, await media.ofSession(project, sessionId), seconds);
  }

  function urlsFrom(project: Project, objects: readonly MediaRow[], seconds: number): MediaUrls {
    const rows = objects.filter(({ state }) => state === 'stored');
    const addresses = (kind: (typeof rows)[number]['kind']) =>
      rows.filter((row) => row.kind === kind).map((row) => media.readUrl(project, row.objectId, seconds));
    return {
      face: addresses('portrait')[0] ?? addresses('face_frame')[0] ?? null,
      idScanFront: addresses('id_front')[0] ?? null,
      idScanBack: addresses('id_back')[0] ?? null,
      videos: addresses('face_clip'),
    };
  }

  return { viewsOf, urlsOf };
}

async function matchesOfAccount({ database }: Project, { id }: AccountRow): Promise<VerificationMatch[]> {
  return matchesOf(await findLinkedNames(database, id, LIMITS.linksPerAccount));
}

/** How the tables are asked: by the database itself, or in a transaction that is under way. */
type Ask = (statement: Statement, values: readonly unknown[]) => Promise<Row[]>;

/** Accounts that a new account with this session, face and document would be linked to. */
export async function matchesOfSession(
  { projectId }: Pick<Project, 'projectId'>,
  ask: Ask,
  session: Session | null,
  result: VerificationResult,
): Promise<VerificationMatch[]> {
  if (!session) return [];
  const found = identifiersOf(result);
  const [statement, values] = linkingCall(projectId, { sessionId: session.sessionId, identifiers: found });
  const [row] = await ask(statement, values);
  const { matches } = toLinking(row);
  const own = [...found, ...sessionIdentifiers(session.row)];
  const { identifiers } = mergeIdentifiers([], own, [], session.row.start_time);
  const links = planLinks(identifiers, matches, [])
    .links.sort((a, b) => b.score - a.score || (a.accountId < b.accountId ? 1 : -1))
    .slice(0, LIMITS.linksPerAccount);
  if (links.length === 0) return [];
  const rows = await ask(FIND_CLIENT_IDS, [projectId, links.map(({ accountId }) => accountId)]);
  const names = new Map(rows.map((row) => [row.id as string, row.account_id as string]));
  return matchesOf(
    links.flatMap(({ accountId, kinds }) => {
      const name = names.get(accountId);
      return name === undefined ? [] : [{ id: accountId, accountId: name, kinds }];
    }),
  );
}
