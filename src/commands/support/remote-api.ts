import { setTimeout as delay } from 'node:timers/promises';
import { AppError, type ErrorKind } from '@vouchgraph/platform/errors';
import { parseExactJson } from '@vouchgraph/platform/exact-json';
import type { Api } from './api.ts';
import {
  addressOf,
  foreignAnswer,
  type Gateway,
  gatewayError,
  retryAfter,
  send,
  unreachable,
} from './remote-http.ts';

/* The public API of a remote gateway over HTTP. */

const POLL_MS = 2000;
/** A refused request was not executed: it is repeated after the time that the gateway names. */
const MAX_RATE_LIMITED = 5;

type GraphQLFailure = {
  message: string;
  extensions?: {
    code?: string;
    kind?: ErrorKind;
    inputPath?: (string | number)[];
    retryAfterSeconds?: number;
  };
};
type Answer = { data?: Record<string, unknown> | null; errors?: GraphQLFailure[] };

/** The API of a gateway, with a key of the project. */
export function openRemoteApi(gateway: Gateway): Api {
  const endpoint = addressOf(gateway, '/graphql');
  const headers = { 'content-type': 'application/json' };
  return {
    pollMs: POLL_MS,
    async run<Data>(document: string, variables: Record<string, unknown> = {}): Promise<Data> {
      const body = JSON.stringify({ query: document, variables });
      for (let refused = 0; ; refused += 1) {
        const response = await send(endpoint, gateway.key, { method: 'POST', headers, body });
        const seconds = retryAfter(response);
        if (seconds === null || refused >= MAX_RATE_LIMITED)
          return dataOf(await readAnswer(endpoint, response, rootField(document))) as Data;
        await response.body?.cancel();
        await delay(seconds * 1000);
      }
    },
  };
}

async function readAnswer(endpoint: string, response: Response, field: string): Promise<Answer> {
  const text = await response.text().catch((error: unknown) => {
    throw unreachable(endpoint, error);
  });
  const answer = parse(text);
  if (answer && isOfGateway(answer, field)) return answer;
  throw foreignAnswer(endpoint, response.status);
}

function parse(text: string): Answer | null {
  try {
    return parseExactJson(text) as Answer | null;
  } catch {
    return null;
  }
}

/** Whether it is a response of GraphQL: errors with messages, or the field of the document. */
function isOfGateway({ data, errors }: Answer, field: string): boolean {
  if (errors !== undefined)
    return (
      Array.isArray(errors) &&
      errors.length > 0 &&
      errors.every((error) => typeof error?.message === 'string')
    );
  return typeof data === 'object' && data !== null && field in data;
}

/** The name that the only field of a document of a command has in its response. */
export const rootField = (document: string): string =>
  /^[^({]*(?:\([^)]*\))?\s*\{\s*(\w+)/.exec(document)![1]!;

/** Documents are valid for the gateway of this version: a field that another one lacks. */
const UNKNOWN_PART = /^(Cannot query field|Unknown (type|argument)|Field "[^"]*" is not defined by type)/;

function dataOf({ data, errors = [] }: Answer): unknown {
  const [error] = errors;
  if (!error) return data;
  const {
    code = 'service.internal',
    kind = 'internal',
    inputPath,
    retryAfterSeconds,
  } = error.extensions ?? {};
  if (UNKNOWN_PART.test(error.message)) {
    const message = `This version of the gateway does not support the command: ${error.message}`;
    throw gatewayError('unsupported', message);
  }
  throw new AppError(code, kind, error.message, { path: inputPath, retryAfterSeconds });
}
