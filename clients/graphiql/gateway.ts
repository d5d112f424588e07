import { createClient } from 'graphql-ws/client';

export type Result = {
  data?: Record<string, unknown> | null;
  errors?: readonly { message: string; extensions?: { code?: string } }[];
};
export type Variables = Record<string, unknown>;
export type Operation = { query: string; operationName?: string | null; variables?: Variables };
export type Headers = Record<string, string>;

const PATH = '/graphql';

/** Runs a query or mutation; an answer that is not JSON becomes an error of the result. */
export async function post(operation: Operation, headers: Headers): Promise<Result> {
  try {
    const response = await fetch(PATH, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json', ...headers },
      body: JSON.stringify(operation),
      credentials: 'omit',
    });
    return (await response.json()) as Result;
  } catch (error) {
    return failure(`The gateway did not answer: ${error instanceof Error ? error.message : error}`);
  }
}

/** Results of a subscription over WebSocket, until it completes or the reader stops. */
export async function* subscribe(operation: Operation, headers: Headers): AsyncGenerator<Result> {
  const url = new URL(PATH, location.href.replace(/^http/, 'ws')).href;
  const client = createClient({ url, connectionParams: headers, retryAttempts: 0 });
  const { query, operationName, variables } = operation;
  try {
    yield* client.iterate({ query, operationName, variables }) as AsyncIterable<Result>;
  } catch (error) {
    yield failure(reasonOf(error));
  } finally {
    await client.dispose();
  }
}

export function failure(message: string): Result {
  return { errors: [{ message }] };
}

/** The reason of a close, the messages of errors, or that the connection broke. */
function reasonOf(error: unknown): string {
  if (Array.isArray(error)) return error.map(({ message }: { message: string }) => message).join('; ');
  const { reason, message } = error as { reason?: string; message?: string };
  return reason || message || 'The WebSocket was closed';
}
