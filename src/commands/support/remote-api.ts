import { setTimeout as delay } from 'node:timers/promises';
import { AppError, type ErrorKind, STATUS_OF_KIND } from '../../platform/errors.ts';
import { parseExactJson } from '../../platform/exact-json.ts';
import type { Api } from './api.ts';

/* The public API of a remote gateway over HTTP. Errors are one line each; none contains the key. */

const TIMEOUT_MS = 60_000;
const POLL_MS = 2000;
/** A refused request was not executed: it is repeated after the time that the gateway names. */
const MAX_RATE_LIMITED = 5;
const MAX_RETRY_AFTER_SECONDS = 60;

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

/** The API of the gateway at a URL, with a key of the project. */
export function openRemoteApi(url: string, key: string): Api {
  const endpoint = `${url.replace(/\/+$/, '')}/graphql`;
  return {
    pollMs: POLL_MS,
    async run<Data>(document: string, variables: Record<string, unknown> = {}): Promise<Data> {
      const body = JSON.stringify({ query: document, variables });
      for (let refused = 0; ; refused += 1) {
        const response = await send(endpoint, key, body);
        const seconds = retryAfter(response);
        if (seconds === null || refused >= MAX_RATE_LIMITED)
          return dataOf(await readAnswer(endpoint, response)) as Data;
        await response.body?.cancel();
        await delay(seconds * 1000);
      }
    },
  };
}

async function send(endpoint: string, key: string, body: string): Promise<Response> {
  try {
    return await fetch(endpoint, {
      method: 'POST',
      // A redirect would send the key to another address.
      redirect: 'manual',
      headers: { 'x-api-key': key, 'content-type': 'application/json', accept: 'application/json' },
      body,
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
  } catch (error) {
    throw unreachable(endpoint, error);
  }
}

/** Seconds after which to retry a request over the rate limit; null for every other response. */
function retryAfter({ status, headers }: Response): number | null {
  if (status !== STATUS_OF_KIND.rate_limited) return null;
  const seconds = Number(headers.get('retry-after') ?? '1');
  return seconds <= MAX_RETRY_AFTER_SECONDS ? Math.max(1, seconds) : null;
}

const TLS_CODE = /^(ERR_TLS_|ERR_SSL_|EPROTO$|CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|HOSTNAME_MISMATCH$)/;

function unreachable(endpoint: string, error: unknown): AppError {
  const { name, cause } = error as Error;
  const { code } = (cause ?? {}) as { code?: unknown };
  if (name === 'TimeoutError')
    return gatewayError(
      'timeout',
      `The gateway did not answer within ${TIMEOUT_MS / 1000} seconds: ${endpoint}`,
    );
  const reason = typeof code === 'string' ? code : 'connection failed';
  if (TLS_CODE.test(reason))
    return gatewayError('tls_failed', `TLS with the gateway failed (${reason}): ${endpoint}`);
  return gatewayError('unreachable', `The gateway cannot be reached (${reason}): ${endpoint}`);
}

async function readAnswer(endpoint: string, response: Response): Promise<Answer> {
  const { status } = response;
  if (status >= 300 && status < 400) {
    await response.body?.cancel();
    throw gatewayError(
      'invalid_answer',
      `Redirected with status ${status}; --url must be the final URL: ${endpoint}`,
    );
  }
  const text = await response.text().catch((error: unknown) => {
    throw unreachable(endpoint, error);
  });
  const answer = parse(text);
  if (answer) return answer;
  if (status >= 502 && status <= 504)
    throw gatewayError(
      'unreachable',
      `The gateway cannot be reached (status ${status} of a proxy): ${endpoint}`,
    );
  throw gatewayError(
    'invalid_answer',
    `The response with status ${status} is not from a Vouchgraph gateway: ${endpoint}`,
  );
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

function gatewayError(reason: string, message: string): AppError {
  const isInvalid = reason === 'invalid_answer' || reason === 'unsupported';
  return new AppError(`gateway.${reason}`, isInvalid ? 'unprocessable' : 'unavailable', message);
}
