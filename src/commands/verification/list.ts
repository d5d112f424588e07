import { type Api, type Connection, type PageInfo, readEdges } from '../support/api.ts';
import { minuteOf } from '../support/minute-of.ts';
import { print, printJson } from '../support/print.ts';
import { printTable } from '../support/table.ts';
import { UsageError } from '../support/usage-error.ts';
import { VERIFICATIONS } from './documents.ts';
import { shownVerification, type Verification } from './verification.ts';

export type VerificationSearch = {
  state?: string;
  decision?: string;
  review?: 'none' | 'approved' | 'rejected';
  kind?: string;
  account?: string;
  minScore?: number;
  createdAfter?: Date;
  createdBefore?: Date;
  order: string;
  number: number;
  json?: boolean;
};

type Edge = { node: Verification };
type Page = {
  edges: Edge[];
  pageInfo: PageInfo & { hasPreviousPage: boolean; startCursor: string | null };
};

const MAX_PAGE = 100;

/** Prints verifications that meet conditions, by their creation. */
export async function listVerifications(api: Api, options: VerificationSearch): Promise<void> {
  const { review, order, number, json } = options;
  const filter = filterOf(options);
  const read = async (page: { first: number; after: string | null }): Promise<Connection<Edge>> => {
    // The schema has no condition on reviews: pages are read to their end.
    const first = review === undefined ? page.first : MAX_PAGE;
    const isNewest = order === 'newest';
    const range = isNewest ? { first, after: page.after } : { last: first, before: page.after };
    const { verifications } = await api.run<{ verifications: Page }>(VERIFICATIONS, { filter, ...range });
    const { edges, pageInfo } = verifications;
    const kept = edges.filter(({ node }) => review === undefined || reviewOf(node) === review);
    if (isNewest) return { edges: kept, pageInfo };
    return {
      edges: kept.reverse(),
      pageInfo: { hasNextPage: pageInfo.hasPreviousPage, endCursor: pageInfo.startCursor },
    };
  };
  const edges = await readEdges(number, read);
  const verifications = edges.slice(0, number).map(({ node }) => shownVerification(node));
  if (json) return printJson(verifications);
  if (verifications.length === 0) return print('No verification meets the conditions.');
  printTable(
    ['ID', 'KIND', 'STATE', 'DECISION', 'SCORE', 'REVIEW', 'CREATED', 'ACCOUNT'],
    verifications.map((each) => [
      each.session_id,
      each.kind,
      each.state,
      each.decision ?? '',
      each.risk_score?.toFixed(2) ?? '',
      each.review?.decision ?? '',
      minuteOf(each.created_at),
      each.account_id ?? '',
    ]),
  );
}

function filterOf(options: VerificationSearch) {
  const { state, decision, review, kind, account, minScore, createdAfter, createdBefore } = options;
  if (review !== undefined && state !== undefined && state !== 'completed')
    throw new UsageError('--review selects completed checks, and cannot be combined with --state', 'review');
  return {
    state: (review === undefined ? state : 'completed')?.toUpperCase(),
    decision: decision?.toUpperCase(),
    kind: kind?.toUpperCase(),
    accountId: account,
    minRiskScore: minScore,
    createdAfter: createdAfter?.toISOString(),
    createdBefore: createdBefore?.toISOString(),
  };
}

/** The review that applies, `none` for a check that waits for one; null for a check that can no longer be reviewed. */
function reviewOf({ review, resultError }: Verification): string | null {
  if (review) return review.reviewDecision.toLowerCase();
  return resultError === null ? 'none' : null;
}
