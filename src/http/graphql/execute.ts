import type { Logger } from '@vouchgraph/platform/logger';
import { type DocumentNode, type ExecutionResult, execute, type GraphQLSchema } from 'graphql';
import type { GraphQLContext } from '../../graphql/kernel/context.ts';
import { schema as publicSchema } from '../../graphql/schema.ts';
import { presentResult } from './errors.ts';
import { exactVariables } from './exact-variables.ts';
import { profileOf } from './profiles.ts';

/** Runs a validated document, for GraphQL over HTTP, WebSockets and the REST table. */
export async function runDocument(
  document: DocumentNode,
  variableValues: Record<string, unknown> | undefined,
  operationName: string | undefined,
  contextValue: GraphQLContext,
  log: Logger,
  rootValue?: unknown,
  schema: GraphQLSchema = publicSchema,
): Promise<ExecutionResult> {
  const result = await execute({
    schema,
    document,
    rootValue,
    variableValues: exactVariables(document, variableValues),
    operationName,
    contextValue,
    hideSuggestions: profileOf(contextValue.viewer) === 'closed',
  });
  // An error may quote the request, whose accounts are unknown.
  if (result.errors) contextValue.subjects?.addUnknown();
  return presentResult(result, log, contextValue.requestId, document);
}
