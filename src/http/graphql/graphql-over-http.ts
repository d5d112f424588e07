import { type HttpAnswer, HttpError, JSON_TYPE } from '@vouchgraph/platform/http';
import type { Logger } from '@vouchgraph/platform/logger';
import type { StaticFile } from '@vouchgraph/platform/static-file';
import type { ExecutionResult } from 'graphql';
import { createGraphiqlPage } from '../graphiql/graphiql-files.ts';
import { hasValue, retryHeaders } from './errors.ts';
import { runDocument } from './execute.ts';
import type { Operation } from './operation.ts';
import type { GraphQLProfile, ProfileName } from './profiles.ts';

/* Media types, statuses and bodies of GraphQL over HTTP, which passes the audits of its specification. */
const RESPONSE_TYPE = 'application/graphql-response+json; charset=utf-8';
const STREAM_TYPE = 'text/event-stream; charset=utf-8';

export type GraphQLOverHttp = {
  readonly profiles: Record<ProfileName, GraphQLProfile>;
  /** The page for trying queries; it holds nothing of any project. */
  readonly page: StaticFile;
};

export function createGraphQLOverHttp(profiles: Record<ProfileName, GraphQLProfile>): GraphQLOverHttp {
  return { profiles, page: createGraphiqlPage() };
}

const TYPES: Readonly<Record<string, string>> = {
  'application/json': JSON_TYPE,
  'application/*': JSON_TYPE,
  '*/*': JSON_TYPE,
  'application/graphql-response+json': RESPONSE_TYPE,
};

/** Media type of the response: the first accepted type of JSON, or an event stream; null if the client accepts neither. */
export function negotiateType(accept: string): string | null {
  if (accept === '' || accept === '*/*') return JSON_TYPE;
  const accepted = accept
    .toLowerCase()
    .split(',')
    .filter((part) => !/;\s*q=0(\.0*)?\s*(;|$)/.test(part))
    .map((part) => part.split(';', 1)[0]!.trim());
  const json = accepted.find((name) => Object.hasOwn(TYPES, name));
  if (json !== undefined) return TYPES[json]!;
  return accepted.some((name) => name === 'text/event-stream' || name === 'text/*') ? STREAM_TYPE : null;
}

export const isStream = (contentType: string): boolean => contentType === STREAM_TYPE;

/** Executes an operation that is not a subscription. */
export async function answerOperation(
  operation: Operation,
  { method, contentType }: { method: string | undefined; contentType: string },
  log: Logger,
): Promise<HttpAnswer & { body: string }> {
  const result = await run(operation, method, log);
  const failure = failureOf(result);
  const status = failure?.status ?? statusOf(result, contentType);
  const headers = failure ? retryHeaders(failure.extensions) : undefined;
  const text = JSON.stringify(result);
  const body = isStream(contentType) ? `:\n\nevent: next\ndata: ${text}\n\nevent: complete\ndata:\n\n` : text;
  return { status, body, contentType, headers };
}

async function run(operation: Operation, method: string | undefined, log: Logger): Promise<ExecutionResult> {
  const checked = operation.check();
  if ('errors' in checked) return { errors: checked.errors };
  if (method !== 'POST' && operation.kind() === 'mutation')
    throw new HttpError(405, 'Can only perform a mutation operation from a POST request', { allow: 'POST' });
  const { variables, operationName } = operation.parameters;
  return runDocument(checked.document, variables, operationName, operation.context, log);
}

type Failure = { readonly status: number; readonly extensions: Record<string, unknown> };

/**
 * A request that the service could not serve at all, with the status of its first such error: no root field has a value. A
 * response with a value is 200, with its errors. Responses with these statuses are retried, and not stored under an
 * Idempotency-Key.
 */
function failureOf(result: ExecutionResult): Failure | null {
  if (hasValue(result)) return null;
  for (const { extensions } of result.errors ?? []) {
    const { status } = extensions;
    if (status === 503 || status === 500 || status === 429) return { status, extensions };
  }
  return null;
}

/**
 * application/json responds with 200 to every well-formed request, as older clients expect. The newer media type responds
 * to a request error with an error status.
 */
function statusOf({ data, errors }: ExecutionResult, contentType: string): number {
  if (data !== undefined || contentType !== RESPONSE_TYPE) return 200;
  const status = errors?.[0]?.extensions.status;
  return typeof status === 'number' ? status : 400;
}
