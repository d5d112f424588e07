import type { Body } from '../gateway.ts';
import type { Ids } from '../two-projects.ts';
import type { ForeignRequest, ForeignRouteRequest } from './operation.ts';

/* Parts of several requests with ids of another project. */

export const NAMES_NOTHING = 'Its input names no object of another project.';
export const PAGE = '{ edges { node { id } } pageInfo { hasNextPage } }';
/** Mutation with an input. */
export const foreignInput = (
  type: string,
  field: string,
  fields: string,
  make: (ids: Ids) => Body,
): ForeignRequest => ({
  query: `mutation ($input: ${type}!) { ${field}(input: $input) { ${fields} } }`,
  variables: (ids) => ({ input: make(ids) }),
});
export const filtered = (make: (ids: Ids) => Body): ForeignRequest => ({
  query: `query ($filter: AccountFilter) { accounts(filter: $filter) ${PAGE} }`,
  variables: (ids) => ({ filter: make(ids) }),
});
export const ofAccount = (rest = ''): ForeignRouteRequest => ({
  path: ({ account }) => `/account/${account}${rest}`,
});
