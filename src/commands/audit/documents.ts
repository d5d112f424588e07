/* Documents of the public schema that the commands of the audit log run. */

const ENTRY = 'auditId at actor role: actorRole address action target requestId before after reason';

export const NEWEST_ENTRIES = `query NewestEntries($accountId: ID, $filter: AuditFilter, $first: Int!, $after: String) {
  auditLog(accountId: $accountId, filter: $filter, first: $first, after: $after) {
    edges { node { ${ENTRY} } } pageInfo { hasNextPage endCursor } } }`;

export const OLDEST_ENTRIES = `query OldestEntries($accountId: ID, $filter: AuditFilter, $last: Int!, $before: String) {
  auditLog(accountId: $accountId, filter: $filter, last: $last, before: $before) {
    edges { node { ${ENTRY} } } pageInfo { hasPreviousPage startCursor } } }`;

export const AUDIT_HEAD = `query AuditHead {
  auditHead { projectId position hash at publicKey signature unchained } }`;
