import { mergeIdentifiers, planLinks, sessionIdentifiers } from '@vouchgraph/linking';
import { type MediaKind, READ_URL_SECONDS, type WEBHOOK_URL_SECONDS } from '@vouchgraph/media';
import { LIMITS } from '@vouchgraph/platform/limits';
import { once } from '@vouchgraph/platform/once';
import {
  decisionOfReview,
  decryptResult,
  identifiersOf,
  type VerificationResult,
} from '@vouchgraph/verification';
import type { Row, Statement } from '../../../storage/database.ts';
import { findAccounts } from '../../accounts/account-store.ts';
import { linkingCall, toLinking } from '../../accounts/linking-read-store.ts';
import { FIND_CLIENT_IDS } from '../../linking/rescore-store.ts';
import type { MediaService } from '../../media/media-service.ts';
import type { AccountRow } from '../../model/account-row.ts';
import type { Project } from '../../projects/project.ts';
import { Session } from '../../sessions/session.ts';
import { findSessions } from '../../sessions/session-store.ts';
import type { ResultRecord } from '../verification-read-store.ts';
import { findCheckRules } from './check-rules-store.ts';
import { findLinkedNames } from './linked-names-store.ts';
import {
  decisionAfterLists,
  type MediaUrls,
  matchesOf,
  ruleNamesOf,
  type VerificationMatch,
  type VerificationView,
} from './verification.ts';

export type VerificationViews = ReturnType<typeof createVerificationViews>;

/** Reads the results of completed verifications, with the lists, rules and links of the moment. */
export function createVerificationViews({ media }: { media: MediaService }) {
  return {
    viewsOf,
    /** Signed URLs of images and videos, valid for as long as their readers need them. */
    async urlsOf(project: Project, sessionId: string, seconds: typeof WEBHOOK_URL_SECONDS) {
      const rows = await media.ofSession(project, sessionId);
      return urlsFrom(
        media,
        project,
        rows.filter(({ state }) => state === 'stored'),
        seconds,
      );
    },
    /** The same of images and videos that were read with their verification. */
    readUrlsOf: (project: Project, stored: readonly StoredMedia[]) =>
      urlsFrom(media, project, stored, READ_URL_SECONDS),
  };
}

type StoredMedia = { readonly kind: string; readonly objectId: string };

function urlsFrom(
  media: MediaService,
  project: Project,
  stored: readonly StoredMedia[],
  seconds: number,
): MediaUrls {
  const urls = (kind: MediaKind) =>
    stored
      .filter((each) => each.kind === kind)
      .map(({ objectId }) => media.readUrl(project, objectId, seconds));
  return {
    face: urls('portrait')[0] ?? urls('face_frame')[0] ?? null,
    idScanFront: urls('id_front')[0] ?? null,
    idScanBack: urls('id_back')[0] ?? null,
    videos: urls('face_clip'),
  };
}

/**
 * Views of completed verifications, in their order. Each part is read on its first access, in one statement for all of them.
 */
function viewsOf(project: Project, verifications: readonly ResultRecord[]): VerificationView[] {
  const { database, cipher } = project;
  const sessions = once(async () => {
    const rows = await findSessions(
      database,
      verifications.map(({ sessionId }) => sessionId),
    );
    return new Map(rows.map((row) => [row.session_id, new Session(project, row)]));
  });
  const pairs = verifications.flatMap(({ boundAccountId: account, sessionId }) =>
    account === null ? [] : [{ account, sessionId }],
  );
  const accounts = once(async () => {
    const rows = await findAccounts(database, [...new Set(pairs.map(({ account }) => account))]);
    return new Map(rows.map((row) => [row.id, row]));
  });
  const rules = once(() => findCheckRules(database, pairs));
  return verifications.map(({ sessionId, boundAccountId, result: encrypted, reviews }) => {
    const result = decryptResult(cipher, sessionId, encrypted!);
    const session = async () => (await sessions()).get(sessionId) ?? null;
    const account = async () =>
      boundAccountId === null ? null : ((await accounts()).get(boundAccountId) ?? null);
    const lists = async () => (await account())?.lists ?? [];
    return {
      result,
      session,
      decision: async () =>
        decisionAfterLists(result.decision, await lists(), decisionOfReview(reviews[0] ?? null)),
      lists: async () => (await lists()).map(({ name }) => name),
      async rules() {
        const [owner, found] = await Promise.all([account(), boundAccountId === null ? [] : rules()]);
        return owner ? ruleNamesOf(found, { account: owner, sessionId }) : [];
      },
      async matches() {
        const owner = await account();
        if (owner) return matchesOfAccount(project, owner);
        const ask: Ask = (statement, values) => database.query(statement, values);
        return matchesOfSession(project, ask, await session(), result);
      },
    };
  });
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
