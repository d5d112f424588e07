import type { IncomingMessage, ServerResponse } from 'node:http';
import { type HttpAnswer, headerOf } from '@vouchgraph/platform/http';
import type { Logger } from '@vouchgraph/platform/logger';
import type { StaticFile } from '@vouchgraph/platform/static-file';
import { type ExecutionResult, GraphQLError } from 'graphql';
import { createGraphiqlPage } from '../graphiql/graphiql-files.ts';
import { runDocument } from './execute.ts';
import type { Operation } from './operation.ts';
import type { PlainResponse, SentRequest } from './plain-fetch.ts';
import type { GraphQLProfile, ProfileName, Yoga } from './profiles.ts';

/*
 * GraphQL over HTTP by Yoga: parameters, media types, statuses and bodies. Its `onParams` hook executes the operation, whose
 * document is parsed and validated by the plugins of Yoga once. `npm run bench:graphql` compares it with graphql-js alone.
 */
export type GraphQLOverHttp = {
  readonly profiles: Record<ProfileName, GraphQLProfile>;
  /** The page for trying queries; it holds nothing of any project. */
  readonly page: StaticFile;
};

export function createGraphQLOverHttp(profiles: Record<ProfileName, GraphQLProfile>): GraphQLOverHttp {
  return { profiles, page: createGraphiqlPage() };
}

export type TextAnswer = HttpAnswer & { body: string };

export type GraphQLRequest = {
  request: IncomingMessage;
  /** Parameters of the body or the address; undefined if the body is not JSON. */
  parameters: unknown;
  /** Null if the parameters are malformed. */
  operation: Operation | null;
  /** Body as sent. */
  text?: string;
};

/** Executes a request. Every result is a single one: subscriptions are answered elsewhere. */
export async function answerByYoga(yoga: Yoga, asked: GraphQLRequest, log: Logger): Promise<TextAnswer> {
  const { request, operation } = asked;
  const { method } = request;
  // Unknown parameters are ignored.
  const parameters = operation?.parameters ?? withoutStatus(asked.parameters);
  const headers = { accept: typesOf(request).join(), 'content-type': headerOf(request, 'content-type') };
  const sent: SentRequest = { method, headers, text: asked.text };
  const context = { parameters, run: () => run(operation, method, log) };
  // Without an object of the response: `createContext` observes the connection where it matters.
  const answer = await yoga.handleNodeRequestAndResponse(sent, NO_RESPONSE, context);
  return answerOf(answer as unknown as PlainResponse);
}

const NO_RESPONSE = {} as ServerResponse;

/** Yoga mistakes an object with `status` and `headers` for a response. */
function withoutStatus(parameters: unknown): unknown {
  const isResponse = isObject(parameters) && 'status' in parameters;
  return isResponse && !Array.isArray(parameters) ? { ...parameters, status: undefined } : parameters;
}

async function answerOf(answer: PlainResponse): Promise<TextAnswer> {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(answer.headers)) headers[name.toLowerCase()] = value;
  const { 'content-type': contentType = '', allow, 'retry-after': retryAfter } = headers;
  return {
    status: answer.status,
    body: await answer.text(),
    contentType,
    headers: { ...(allow && { allow }), ...(retryAfter && { 'retry-after': retryAfter }) },
  };
}

async function run(
  operation: Operation | null,
  method: string | undefined,
  log: Logger,
): Promise<ExecutionResult> {
  if (!operation) throw malformed('Expected "operationName" param to be empty or a string.', { status: 400 });
  const checked = operation.check();
  if ('errors' in checked) return { errors: checked.errors };
  if (method === 'GET' && operation.kind() === 'mutation') {
    const http = { status: 405, headers: { Allow: 'POST' } };
    throw malformed('Can only perform a mutation operation from a POST request.', http);
  }
  const { variables, operationName } = operation.parameters;
  return runDocument(checked.document, variables, operationName, operation.context, log);
}

function malformed(message: string, http: Record<string, unknown>): GraphQLError {
  return new GraphQLError(message, { extensions: { http } });
}

const JSON_TYPES = ['application/json', 'application/graphql-response+json', 'application/*', '*/*'];
const STREAM_TYPES = ['text/event-stream', 'text/*', 'multipart/mixed', 'multipart/*'];

/** Whether the client accepts a response in JSON. */
export function acceptsJson(request: IncomingMessage): boolean {
  return typesOf(request).some((type) => JSON_TYPES.includes(type));
}

/** Whether the client accepts a type that Yoga sends. Yoga itself compares after the execution. */
export function acceptsAny(request: IncomingMessage): boolean {
  return acceptsJson(request) || typesOf(request).some((type) => STREAM_TYPES.includes(type));
}

/** Accepted media types without parameters: Yoga ignores weights, and rejects a charset other than UTF-8. */
function typesOf(request: IncomingMessage): string[] {
  const accept = headerOf(request, 'accept').toLowerCase();
  if (accept === '' || accept === '*/*') return ['*/*'];
  return accept.split(',').map((part) => part.split(';', 1)[0]!.trim());
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}
