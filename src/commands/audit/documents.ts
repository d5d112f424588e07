/* Documents of the public schema that the commands of the audit log run. */

const ENTRY = 'auditId at actor action target requestId before after';

export const NEWEST_ENTRIES = `query NewestEntries($accountId: ID, $filter: AuditFilter, $first: Int!, $after: String) {
  auditLog(accountId: $accountId, filter: $filter, first: $first, after: $after) {
    edges { node { ${ENTRY} } } pageInfo { hasNextPage endCursor } } }`;

export const OLDEST_ENTRIES = `query OldestEntries($filter: AuditFilter, $last: Int!, $before: String) {
  auditLog(filter: $filter, last: $last, before: $before) {
    edges { node { ${ENTRY} } } pageInfo { hasPreviousPage startCursor } } }`;
