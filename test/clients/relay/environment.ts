import { createClient } from 'graphql-ws';
import {
  createOperationDescriptor,
  Environment,
  fetchQuery,
  type GraphQLTaggedNode,
  getFragment,
  getPaginationMetadata,
  getPaginationVariables,
  getRequest,
  getSelector,
  Network,
  Observable,
  RecordSource,
  Store,
  type Variables,
} from 'relay-runtime';
import { WebSocket } from 'ws';
import { graphqlUrl, headers, socketUrl } from '../support/sandbox.ts';

export type Connection<Node> = {
  readonly edges: readonly { readonly node: Node }[];
  readonly pageInfo: {
    readonly hasNextPage: boolean;
    readonly hasPreviousPage: boolean;
    readonly startCursor: string | null;
    readonly endCursor: string | null;
  };
};

/** An environment as created by an application: queries over HTTP, subscriptions over graphql-ws. */
export function makeEnvironment(): { environment: Environment; requests: Variables[]; dispose(): void } {
  const requests: Variables[] = [];
  const socket = createClient({ url: socketUrl(), webSocketImpl: WebSocket, connectionParams: headers() });
  const network = Network.create(
    async ({ text }, variables) => {
      requests.push(variables);
      const response = await fetch(graphqlUrl(), {
        method: 'POST',
        headers: { ...headers(), 'content-type': 'application/json' },
        body: JSON.stringify({ query: text, variables }),
      });
      return await response.json();
    },
    ({ text, name }, variables) =>
      Observable.create((sink) =>
        socket.subscribe({ query: text!, operationName: name, variables }, sink as never),
      ),
  );
  const environment = new Environment({ network, store: new Store(new RecordSource()) });
  return { environment, requests, dispose: () => void socket.dispose() };
}

/** Loads a query, keeps it, and returns its data. */
export async function load(environment: Environment, query: GraphQLTaggedNode, variables: Variables) {
  await fetchQuery(environment, query, variables).toPromise();
  const operation = createOperationDescriptor(getRequest(query), variables);
  environment.retain(operation);
  return environment.lookup(operation.fragment).data as Record<string, object>;
}

/** The current data of a fragment. */
export function read(environment: Environment, fragment: GraphQLTaggedNode, reference: object) {
  const selector = getSelector(getFragment(fragment), reference);
  if (selector?.kind !== 'SingularReaderSelector') throw new Error('The reference is not of this fragment');
  const { data, isMissingData } = environment.lookup(selector);
  if (isMissingData) throw new Error('The store lacks fields of the fragment');
  return { selector, data: data as Record<string, unknown> };
}

/**
 * Loads another page of a refetchable fragment, as `loadNext` and `loadPrevious` of usePaginationFragment do:
 * by the generated query, whose edges the store appends.
 */
export async function loadMore(
  environment: Environment,
  fragment: GraphQLTaggedNode,
  reference: object,
  direction: 'forward' | 'backward',
  count: number,
): Promise<void> {
  const { selector, data } = read(environment, fragment, reference);
  const reader = getFragment(fragment);
  const { connectionPathInFragmentData, paginationRequest, paginationMetadata } = getPaginationMetadata(
    reader,
    'loadMore',
  );
  const { pageInfo } = connectionPathInFragmentData.reduce(
    (value, key) => (value as Record<string, unknown>)[key],
    data as unknown,
  ) as Connection<unknown>;
  const variables = getPaginationVariables(
    direction,
    count,
    direction === 'forward' ? pageInfo.endCursor : pageInfo.startCursor,
    { ...selector.owner.variables, ...selector.variables },
    {},
    paginationMetadata,
  );
  const identifier = reader.metadata?.refetch?.identifierInfo;
  if (identifier) variables[identifier.identifierQueryVariableName] = data[identifier.identifierField];
  await fetchQuery(environment, paginationRequest, variables, { fetchPolicy: 'network-only' }).toPromise();
}
