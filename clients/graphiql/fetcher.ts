import { chosenOperation } from './chosen-operation.ts';
import { failure, type Headers, type Operation, post, type Result, subscribe } from './gateway.ts';
import { anySession, openSession, SampleError } from './samples.ts';

/** Second argument of GraphiQL: the headers of its editor. */
type FetcherOptions = { headers?: Headers };
export type Fetcher = (
  operation: Operation,
  options?: FetcherOptions,
) => Promise<Result> | AsyncIterable<Result>;

/** The key of the page; its owner is the key bar. */
export type KeySource = {
  /** Key that is in use, '' without one. */
  current(): string;
  /** Resolves with the next key that the gateway accepts. */
  accepted(): Promise<string>;
};

/** Runs the operations of GraphiQL with the key of the page. Headers of GraphiQL's editor win. */
export function createFetcher(keys: KeySource): Fetcher {
  return (sent, options = {}) => {
    const { kind, name } = chosenOperation(sent);
    const operation = { ...sent, operationName: name };
    const headers = headersOf(keys.current(), options.headers ?? {});
    // Without a key there is no schema to read yet: GraphiQL waits instead of showing an error.
    if (operation.operationName === 'IntrospectionQuery') return introspect(operation, headers, keys);
    if (!hasCredential(headers)) return Promise.resolve(failure('Enter an API key above'));
    return kind === 'subscription'
      ? subscribe(operation, headers)
      : withSession(operation, headers, kind === 'mutation');
  };
}

async function introspect(operation: Operation, headers: Headers, keys: KeySource): Promise<Result> {
  return post(operation, hasCredential(headers) ? headers : headersOf(await keys.accepted(), headers));
}

export function headersOf(key: string, edited: Headers): Headers {
  return key === '' || hasCredential(edited) ? edited : { 'x-api-key': key, ...edited };
}

function hasCredential(headers: Headers): boolean {
  return Object.entries(headers).some(
    ([name, value]) => /^(x-api-key|authorization)$/i.test(name) && value !== '',
  );
}

/** Replaces an empty sessionId among the variables: mutations get a new simulated session, queries the last one. */
async function withSession(operation: Operation, headers: Headers, isMutation: boolean): Promise<Result> {
  if (operation.variables?.sessionId !== '') return post(operation, headers);
  try {
    const sessionId = await (isMutation ? openSession : anySession)(headers);
    return await post({ ...operation, variables: { ...operation.variables, sessionId } }, headers);
  } catch (error) {
    if (error instanceof SampleError) return failure(error.message);
    throw error;
  }
}
