/* Documents of the public schema that the commands of keys run. */

export const API_KEYS = `query ApiKeys($first: Int!, $after: String) {
  apiKeys(first: $first, after: $after) {
    edges { node { keyId prefix label role createdAt lastUsedAt expiresAt revokedAt } }
    pageInfo { hasNextPage endCursor } } }`;
