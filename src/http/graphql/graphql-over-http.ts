import type { IncomingMessage, ServerResponse } from 'node:http';
import type { HttpAnswer } from '@vouchgraph/platform/http';
import type { Logger } from '@vouchgraph/platform/logger';
import type { StaticFile } from '@vouchgraph/platform/static-file';
import type { ExecutionResult } from 'graphql';
import type { GraphQLContext } from '../../graphql/kernel/context.ts';
import { createGraphiqlPage } from '../graphiql/graphiql-files.ts';
import { isJson, sendCompressed } from '../send-compressed.ts';
import { hasValue, retryHeaders } from './errors.ts';
import { runDocument } from './execute.ts';
import type { Operation } from './operation.ts';
import { type GraphQLProfile, type ProfileName, profileOf } from './profiles.ts';

/*
 * GraphQL over HTTP. A well-formed POST of one operation, which is nearly every request, takes a short way: no
 * Fetch objects, documents remembered once they are checked. Whatever is unusual (GET, event streams, odd headers,
 * malformed parameters) goes through Yoga. Both pass the audits of the GraphQL over HTTP specification.
 */
const RESPONSE_TYPE = 'application/graphql-response+json; charset=utf-8';
const JSON_TYPE = 'application/json; charset=utf-8';

export type GraphQLOverHttp = {
  readonly profiles: Record<ProfileName, GraphQLProfile>;
  /** The page for trying queries; it holds nothing of any project. */
  readonly page: StaticFile;
};

export function createGraphQLOverHttp(profiles: Record<ProfileName, GraphQLProfile>): GraphQLOverHttp {
  return { profiles, page: createGraphiqlPage() };
}

/** The answer to an operation, or null when Yoga should have it. */
export async function answerOperation(
  accept: string,
  operation: Operation,
  log: Logger,
): Promise<HttpAnswer | null> {
  const contentType = negotiate(accept);
  if (contentType === null) return null;
  const result = await run(operation, log);
  const failure = failureOf(result);
  const status = failure?.status ?? statusOf(result, contentType);
  const headers = status === 503 ? retryHeaders(failure?.extensions) : undefined;
  return { status, body: JSON.stringify(result), contentType, headers };
}

async function run(operation: Operation, log: Logger): Promise<ExecutionResult> {
  const checked = operation.check();
  if ('errors' in checked) return { errors: checked.errors };
  const { variables, operationName } = operation.parameters;
  return runDocument(checked.document, variables, operationName, operation.context, log);
}

/** Hands a request to Yoga; the body, when it was read already, comes along. */
export async function answerByYoga(
  { profiles }: GraphQLOverHttp,
  request: IncomingMessage,
  response: ServerResponse,
  body: { text: string | undefined; value: unknown },
  context: GraphQLContext,
): Promise<void> {
  const { yoga } = profiles[profileOf(context.viewer)];
  const headers = new Headers();
  for (const [name, value] of Object.entries(request.headers)) {
    if (name !== 'content-length' && value !== undefined) headers.set(name, String(value));
  }
  const aborted = new AbortController();
  response.on('close', () => aborted.abort());
  const answer = await yoga.fetch(
    new Request(new URL(request.url ?? '/', 'http://gateway'), {
      method: request.method,
      headers,
      body: body.text,
      signal: aborted.signal,
    }),
    { graphqlContext: context, parsedBody: body.value },
  );
  for (const [name, value] of answer.headers) response.setHeader(name, value);
  response.setHeader('cache-control', 'no-store');
  const contentType = answer.headers.get('content-type') ?? '';
  if (request.method === 'GET' && isJson(contentType)) {
    return sendCompressed(request, response, {
      status: answer.status,
      body: await answer.text(),
      contentType,
    });
  }
  response.writeHead(answer.status);
  if (answer.body) for await (const chunk of answer.body) response.write(chunk);
  response.end();
}

/** The media type to answer with, or null when the header asks for something that needs more care. */
function negotiate(accept: string): string | null {
  if (accept === '' || accept === '*/*' || accept === 'application/json') return JSON_TYPE;
  for (const part of accept.split(',')) {
    const type = part.split(';', 1)[0]!.trim();
    if (part.includes('q=0')) return null;
    if (type === 'application/graphql-response+json') return RESPONSE_TYPE;
    if (type === 'application/json' || type === 'application/*' || type === '*/*') return JSON_TYPE;
    if (type === 'text/event-stream' || type === 'multipart/mixed' || type === 'text/html') return null;
  }
  return null;
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
  if (data !== undefined || contentType === JSON_TYPE) return 200;
  const status = errors?.[0]?.extensions.status;
  return typeof status === 'number' ? status : 400;
}
