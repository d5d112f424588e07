import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { type ExecutionResult, getOperationAST } from 'graphql';
import type { GraphQLContext } from '../../graphql/context.ts';
import type { HttpAnswer } from '../../platform/http.ts';
import type { Logger } from '../../platform/logger.ts';
import { createStaticFile } from '../../platform/static-file.ts';
import { retryHeaders } from './errors.ts';
import { runDocument } from './execute.ts';
import { START_SCRIPT } from './graphiql-start.ts';
import { isIdempotent } from './idempotent-mutations.ts';
import { createProfiles, type GraphQLProfile, profileOf } from './profiles.ts';

/*
 * GraphQL over HTTP. A well-formed POST of one operation, which is nearly every request, takes a short way: no
 * Fetch objects, documents remembered once they are checked. Whatever is unusual (GET, event streams, odd headers,
 * malformed parameters) goes through Yoga. Both pass the audits of the GraphQL over HTTP specification.
 */
const RESPONSE_TYPE = 'application/graphql-response+json; charset=utf-8';
const JSON_TYPE = 'application/json; charset=utf-8';

type Parameters = {
  query: string;
  variables?: Record<string, unknown> | null;
  operationName?: string | null;
};

export type GraphQLOverHttp = ReturnType<typeof createGraphQLOverHttp>;

export function createGraphQLOverHttp(deps: { log: Logger }) {
  const profiles = createProfiles(deps.log);

  /** The answer to a POST whose body is JSON, or null when Yoga should have it. */
  async function answerPost(
    accept: string,
    body: unknown,
    context: GraphQLContext,
  ): Promise<HttpAnswer | null> {
    const contentType = negotiate(accept);
    if (contentType === null || !isParameters(body)) return null;
    const profile = profiles[profileOf(context.viewer)];
    const result = await run(profile, body, context);
    const status = statusOf(result, contentType);
    const headers = status === 503 ? retryHeaders(result.errors?.[0]?.extensions) : undefined;
    return { status, body: JSON.stringify(result), contentType, headers };
  }

  /** The mutation that a body asks for, and whether it may run twice; null for anything else. */
  function findMutation(body: unknown, context: GraphQLContext): { isIdempotent: boolean } | null {
    if (!isParameters(body)) return null;
    const checked = profiles[profileOf(context.viewer)].check(body.query, context);
    const operation = 'errors' in checked ? null : getOperationAST(checked.document, body.operationName);
    return operation?.operation === 'mutation' ? { isIdempotent: isIdempotent(operation) } : null;
  }

  async function run(
    profile: GraphQLProfile,
    body: Parameters,
    context: GraphQLContext,
  ): Promise<ExecutionResult> {
    const checked = profile.check(body.query, context);
    if ('errors' in checked) return { errors: checked.errors };
    return runDocument(
      checked.document,
      body.variables ?? undefined,
      body.operationName ?? undefined,
      context,
      deps.log,
    );
  }

  /** Hands a request to Yoga; the body, when it was read already, comes along. */
  async function answerByYoga(
    request: IncomingMessage,
    response: ServerResponse,
    body: string | null,
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
        body: body === null || request.method === 'GET' || request.method === 'HEAD' ? undefined : body,
        signal: aborted.signal,
      }),
      { graphqlContext: context },
    );
    for (const [name, value] of answer.headers) response.setHeader(name, value);
    response.setHeader('cache-control', 'no-store');
    response.writeHead(answer.status);
    if (answer.body) for await (const chunk of answer.body) response.write(chunk);
    response.end();
  }

  /** The page for trying queries; it holds nothing of any project. */
  const page = createStaticFile(() => makePage(profiles.open));

  return { answerPost, findMutation, answerByYoga, page, profiles, profileName: profileOf };
}

/** GraphiQL in one file. It keeps the reader's key, so that only its own scripts run and nothing goes elsewhere. */
async function makePage({ yoga }: GraphQLProfile): Promise<HttpAnswer> {
  const answer = await yoga.fetch(
    new Request('http://gateway/graphql', { headers: { accept: 'text/html' } }),
    { graphqlContext: undefined as never },
  );
  const body = (await answer.text()).replace('<script>', () => `<script>${START_SCRIPT}</script>\n<script>`);
  const scripts = [...body.matchAll(/<script[^>]*>([\s\S]*?)<\/script>/g)].map(
    ([, script]) => `'sha256-${createHash('sha256').update(script!).digest('base64')}'`,
  );
  const policy =
    `default-src 'none'; script-src ${scripts.join(' ')}; style-src 'unsafe-inline'; img-src data:; font-src data:; ` +
    "worker-src blob: data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";
  return {
    status: answer.status,
    body,
    contentType: 'text/html; charset=utf-8',
    headers: { 'content-security-policy': policy },
  };
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

function isParameters(body: unknown): body is Parameters {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return false;
  const { query, variables, operationName, extensions } = body as Record<string, unknown>;
  return (
    typeof query === 'string' &&
    isObjectOrAbsent(variables) &&
    isObjectOrAbsent(extensions) &&
    (operationName == null || typeof operationName === 'string')
  );
}

function isObjectOrAbsent(value: unknown): boolean {
  return value == null || (typeof value === 'object' && !Array.isArray(value));
}

/**
 * application/json answers 200 whenever it is well-formed, as older clients expect, save for what the service cannot
 * do at all; the newer media type tells a request error by its status.
 */
function statusOf(result: ExecutionResult, contentType: string): number {
  if (result.data !== undefined && result.data !== null) return 200;
  const status = result.errors?.[0]?.extensions.status;
  if (status === 503 || status === 500 || status === 429) return status;
  if (contentType === JSON_TYPE || result.data === null) return 200;
  return typeof status === 'number' ? status : 400;
}
