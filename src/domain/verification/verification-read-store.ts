import type { VerificationKind } from '@vouchgraph/decisions';
import type { KeysetPage } from '@vouchgraph/platform/keyset';
import {
  captureStartedAfter,
  type ReviewCondition,
  readableSince,
  type VerificationState,
} from '@vouchgraph/verification';
import type { ProjectDatabase } from '../../storage/database.ts';
import type { Prisma, VerificationSession } from '../../storage/generated/prisma/client.ts';
import { idList, prismaPageOfTwo } from '../../storage/prisma-page.ts';

/** What is known of a verification whatever a query selects. */
export type VerificationKey = Pick<VerificationSession, 'projectId' | 'sessionId' | 'accountId'>;
/** The same of a verification in a page. */
export type PagedVerification = VerificationKey & Pick<VerificationSession, 'createdAt'>;

/** The columns that every query of verifications reads. */
export const VERIFICATION_KEY = { projectId: true, sessionId: true, accountId: true } as const;
/** The same for pages. */
export const PAGED_VERIFICATION_KEY = { ...VERIFICATION_KEY, createdAt: true } as const;

type QueryOf<Known> = { select: Prisma.VerificationSessionSelect & Readonly<Record<keyof Known, true>> };
/** What a query selects of each verification; what is known in any case at least. */
export type VerificationQuery = QueryOf<VerificationKey>;
export type PagedQuery = QueryOf<PagedVerification>;

/** Columns of the state of a verification. */
export const STATE_COLUMNS = { state: true, expiresAt: true, startedAt: true } as const;

/** Columns of the pending retake of a document. */
export const RETAKE_COLUMNS = { ...STATE_COLUMNS, documentRetakes: true, retakeReason: true } as const;

/** The order is that of the images of one kind. */
const STORED_MEDIA = { where: { state: 'stored' }, orderBy: { sequence: 'asc' } } as const;

/** Columns of the reason why a verification has no result. */
export const STANDING_COLUMNS = {
  ...STATE_COLUMNS,
  kind: true,
  failure: true,
  createdAt: true,
  documentRetakes: true,
  media: { ...STORED_MEDIA, select: { kind: true } },
} as const satisfies Prisma.VerificationSessionSelect;

/** The account that a verification was created for, and the one that its session is bound to, if they exist. */
export const ACCOUNT_COLUMNS = {
  accountId: true,
  account: { select: { id: true, accountId: true } },
  boundAccount: { select: { id: true, accountId: true } },
} as const satisfies Prisma.VerificationSessionSelect;

/** The last review, including a withdrawal. */
export const LAST_REVIEW = {
  reviews: { orderBy: { position: 'desc' }, take: 1 },
} as const satisfies Prisma.VerificationSessionSelect;

/** Columns of the result of a verification. */
export const RESULT_COLUMNS = {
  ...STANDING_COLUMNS,
  ...LAST_REVIEW,
  sessionId: true,
  accountId: true,
  boundAccountId: true,
  result: true,
} as const satisfies Prisma.VerificationSessionSelect;

/** Columns of the images and videos of a result. */
export const MEDIA_COLUMNS = {
  ...RESULT_COLUMNS,
  media: { ...STORED_MEDIA, select: { kind: true, objectId: true, expiresAt: true } },
} as const satisfies Prisma.VerificationSessionSelect;

type RecordOf<Columns extends Prisma.VerificationSessionSelect> = Prisma.VerificationSessionGetPayload<{
  select: Columns;
}>;
export type AccountRecord = RecordOf<typeof ACCOUNT_COLUMNS>;
export type StateRecord = RecordOf<typeof STATE_COLUMNS>;
export type RetakeRecord = RecordOf<typeof RETAKE_COLUMNS>;
export type StandingRecord = RecordOf<typeof STANDING_COLUMNS>;
export type ResultRecord = RecordOf<typeof RESULT_COLUMNS>;
export type MediaRecord = RecordOf<typeof MEDIA_COLUMNS>;

/** Verifications by their ids, in no particular order. */
type WantedVerifications = {
  readonly sessionIds: readonly string[];
  /** The client's id of an account: only verifications created for it, or bound to it. */
  readonly accountId?: string | undefined;
  /** Only those that were completed or failed. */
  readonly hasEnded?: boolean;
};

export function findVerifications(
  { projectId, prisma }: ProjectDatabase,
  { sessionIds, accountId, hasEnded = false }: WantedVerifications,
  query: VerificationQuery,
): Promise<VerificationKey[]> {
  return prisma.verificationSession.findMany({
    ...query,
    where: {
      projectId,
      sessionId: { in: idList(sessionIds) },
      ...(hasEnded && { completedAt: { not: null } }),
      ...(accountId !== undefined && {
        OR: [{ accountId }, { accountId: null, boundAccount: { accountId } }],
      }),
    },
  });
}

/** Conditions on verifications; a verification meets all of them. */
export type VerificationFilter = {
  readonly kind?: VerificationKind | null | undefined;
  readonly state?: VerificationState | null | undefined;
  readonly decision?: string | null | undefined;
  readonly review?: ReviewCondition | null | undefined;
  readonly minRiskScore?: number | null | undefined;
  /** The client's id of the account. */
  readonly accountId?: string | null | undefined;
  readonly createdAfter?: Date | null | undefined;
  readonly createdBefore?: Date | null | undefined;
};

type Where = Prisma.VerificationSessionWhereInput;

/** The verifications that a filter selects. */
async function selectionOf(database: ProjectDatabase, filter: VerificationFilter, now: Date): Promise<Where> {
  const { kind, state, decision, review, minRiskScore, accountId, createdAfter, createdBefore } = filter;
  const conditions: Where[] = [];
  if (kind != null) conditions.push({ kind });
  if (state != null) conditions.push(inState(state, now));
  if (decision != null) conditions.push({ decision, state: 'completed' });
  if (review != null) conditions.push(withReview(review, now));
  if (minRiskScore != null) conditions.push({ riskScore: { gte: minRiskScore }, state: 'completed' });
  if (createdAfter != null) conditions.push({ createdAt: { gte: createdAfter } });
  if (createdBefore != null) conditions.push({ createdAt: { lt: createdBefore } });
  if (accountId != null) conditions.push(await ofAccount(database, accountId));
  return { projectId: database.projectId, AND: conditions };
}

/** Without a review: completed checks that can be reviewed. */
function withReview(review: ReviewCondition, now: Date): Where {
  if (review !== 'none') return { review, state: 'completed' };
  return { review: '', state: 'completed', createdAt: { gte: readableSince(now) } };
}

/** `expired` follows from the times (state-table.ts of packages/verification); an expired session is stored in an earlier state. */
function inState(state: VerificationState, now: Date): Where {
  const startedUntil = captureStartedAfter(now);
  switch (state) {
    case 'created':
    case 'opened':
      return { state, expiresAt: { gt: now } };
    case 'capturing':
      return { state, OR: [{ startedAt: null }, { startedAt: { gt: startedUntil } }] };
    case 'expired':
      return {
        OR: [
          { state: { in: ['created', 'opened'] }, expiresAt: { lte: now } },
          { state: 'capturing', startedAt: { lte: startedUntil } },
        ],
      };
    default:
      return { state };
  }
}

/** By the account's internal id, which the index of bound verifications has. */
async function ofAccount({ projectId, prisma }: ProjectDatabase, accountId: string): Promise<Where> {
  const where = { projectId_accountId: { projectId, accountId } };
  const account = await prisma.account.findUnique({ where, select: { id: true } });
  return account ? { OR: [{ accountId }, { boundAccountId: account.id }] } : { accountId };
}

/** Page of the verifications that a filter selects, newest first. */
export async function searchVerifications(
  database: ProjectDatabase,
  filter: VerificationFilter,
  { page, now }: { readonly page: KeysetPage; readonly now: Date },
  query: PagedQuery,
): Promise<PagedVerification[]> {
  const { where, ...order } = prismaPageOfTwo(['createdAt', 'sessionId'], 'desc', page);
  const selection = await selectionOf(database, filter, now);
  return database.prisma.verificationSession.findMany({
    ...query,
    ...order,
    where: { AND: [selection, where] },
  });
}

/** Number of the verifications that a filter selects, counted up to a limit. */
export async function countVerifications(
  database: ProjectDatabase,
  filter: VerificationFilter,
  { limit, now }: { readonly limit: number; readonly now: Date },
): Promise<number> {
  const where = await selectionOf(database, filter, now);
  return database.prisma.verificationSession.count({ where, take: limit });
}
