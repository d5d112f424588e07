import { setTimeout as delay } from 'node:timers/promises';
import { AppError, type ErrorKind } from '../../platform/errors.ts';
import { parseExactJson } from '../../platform/exact-json.ts';
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
type Answer = { data?: unknown; errors?: GraphQLFailure[] };

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
          return dataOf(await readAnswer(endpoint, response)) as Data;
        await response.body?.cancel();
        await delay(seconds * 1000);
      }
    },
  };
}

async function readAnswer(endpoint: string, response: Response): Promise<Answer> {
  const text = await response.text().catch((error: unknown) => {
    throw unreachable(endpoint, error);
  });
  const answer = parse(text);
  if (answer) return answer;
  throw foreignAnswer(endpoint, response.status);
}

/** A response of GraphQL, or of the gateway before GraphQL; null for every other text. */
function parse(text: string): Answer | null {
  try {
    const answer = parseExactJson(text) as (Answer & { error?: { code?: string; message?: string } }) | null;
    if (Array.isArray(answer?.errors) || typeof answer?.data === 'object') return answer;
  } catch {}
  return null;
}

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
