import type { Body, TestProject } from './gateway.ts';

const LOG = `query ($first: Int, $after: String, $filter: AuditFilter, $accountId: ID) {
  auditLog(first: $first, after: $after, filter: $filter, accountId: $accountId) {
    edges { cursor node { id auditId at actor actorKind role: actorRole address action target requestId before after reason } }
    pageInfo { hasNextPage hasPreviousPage endCursor } } }`;

/** The newest entries of a project. */
export async function auditEntries(project: TestProject, variables: Body = {}): Promise<Body[]> {
  const { auditLog } = await project.graphql(LOG, { first: 100, ...variables });
  return auditLog.edges.map(({ node }: Body) => node);
}

/** The signed end of the chain of a project. */
export async function auditHeadOf(project: TestProject): Promise<Body> {
  const { auditHead } = await project.graphql(
    'query { auditHead { projectId position hash at publicKey signature unchained } }',
  );
  return auditHead;
}
