import type { AnyVariables, Client, OperationResult, TypedDocumentNode } from 'urql';
import { RequestError } from '../auth/request-problem.ts';
import { graphqlProblem } from './client.ts';

/** Reads data from the gateway, never from the cache. Rejects with RequestError. */
export async function read<Data, Variables extends AnyVariables>(
  client: Client,
  document: TypedDocumentNode<Data, Variables>,
  variables: Variables,
): Promise<Data> {
  return dataOf(await client.query(document, variables, { requestPolicy: 'network-only' }).toPromise());
}

/** Runs a mutation. Rejects with RequestError. */
export async function change<Data, Variables extends AnyVariables>(
  client: Client,
  document: TypedDocumentNode<Data, Variables>,
  variables: Variables,
): Promise<Data> {
  return dataOf(await client.mutation(document, variables).toPromise());
}

function dataOf<Data, Variables extends AnyVariables>({
  data,
  error,
}: OperationResult<Data, Variables>): Data {
  if (error) throw new RequestError(graphqlProblem(error));
  if (data === undefined) throw new RequestError({ kind: 'failed' });
  return data;
}
