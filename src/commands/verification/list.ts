import { minuteOf, noneText, print, printJson, printTable, UsageError } from '@vouchgraph/terminal';
import { type Api, type Connection, type PageInfo, readEdges } from '../support/api.ts';
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

/** Prints verifications that meet conditions, by their creation. */
export async function listVerifications(api: Api, options: VerificationSearch): Promise<void> {
  const { order, number, json } = options;
  const filter = filterOf(options);
  const edges = await readEdges(number, async ({ first, after }): Promise<Connection<Edge>> => {
    const isNewest = order === 'newest';
    const range = isNewest ? { first, after } : { last: first, before: after };
    const { verifications } = await api.run<{ verifications: Page }>(VERIFICATIONS, { filter, ...range });
    const { edges, pageInfo } = verifications;
    if (isNewest) return { edges, pageInfo };
    return {
      edges: edges.toReversed(),
      pageInfo: { hasNextPage: pageInfo.hasPreviousPage, endCursor: pageInfo.startCursor },
    };
  });
  const verifications = edges.map(({ node }) => shownVerification(node));
  if (json) return printJson(verifications);
  if (verifications.length === 0) return print(noneText('verifications', filter));
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
    state: state?.toUpperCase(),
    decision: decision?.toUpperCase(),
    review: review?.toUpperCase(),
    kind: kind?.toUpperCase(),
    accountId: account,
    minRiskScore: minScore,
    createdAfter: createdAfter?.toISOString(),
    createdBefore: createdBefore?.toISOString(),
  };
}
