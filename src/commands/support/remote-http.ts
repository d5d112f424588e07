import { AppError, STATUS_OF_KIND } from '@vouchgraph/platform/errors';

/* HTTP to a remote gateway. Errors are one line each; none contains the key. */

/** Address of a gateway, and an API key of one of its projects. */
export type Gateway = { readonly url: string; readonly key: string };

const TIMEOUT_MS = 60_000;
const MAX_RETRY_AFTER_SECONDS = 60;

type HttpRequest = {
  readonly method: string;
  readonly headers?: Record<string, string>;
  readonly body?: string;
  readonly isDownload?: boolean;
};

/** The address of a path of the gateway. */
export const addressOf = ({ url }: Gateway, path: string): string => `${url.replace(/\/+$/, '')}${path}`;

/**
 * Sends a request, and rejects a redirect: it would send the key to another address. A download takes as long as its body
 * is sent.
 */
export async function send(
  address: string,
  key: string,
  { isDownload = false, ...request }: HttpRequest,
): Promise<Response> {
  try {
    const response = await fetch(address, {
      ...request,
      redirect: 'manual',
      headers: { 'x-api-key': key, accept: 'application/json', ...request.headers },
      signal: isDownload ? null : AbortSignal.timeout(TIMEOUT_MS),
    });
    if (response.status >= 300 && response.status < 400) {
      await response.body?.cancel();
      throw redirected(address, response.status);
    }
    return response;
  } catch (error) {
    throw error instanceof AppError ? error : unreachable(address, error);
  }
}

/** Seconds after which to retry a request over the rate limit; null for every other response. */
export function retryAfter({ status, headers }: Response): number | null {
  if (status !== STATUS_OF_KIND.rate_limited) return null;
  const seconds = Number(headers.get('retry-after') ?? '1');
  return seconds <= MAX_RETRY_AFTER_SECONDS ? Math.max(1, seconds) : null;
}

const TLS_CODE = /^(ERR_TLS_|ERR_SSL_|EPROTO$|CERT_|DEPTH_ZERO_|SELF_SIGNED_|UNABLE_TO_|HOSTNAME_MISMATCH$)/;

/** The error of a connection, by the code of its cause. */
export function unreachable(address: string, error: unknown): AppError {
  const { name, cause } = error as Error;
  const { code } = (cause ?? error ?? {}) as { code?: unknown };
  if (name === 'TimeoutError')
    return gatewayError(
      'timeout',
      `The gateway did not answer within ${TIMEOUT_MS / 1000} seconds: ${address}`,
    );
  const reason = typeof code === 'string' ? code : 'connection failed';
  if (TLS_CODE.test(reason))
    return gatewayError('tls_failed', `TLS with the gateway failed (${reason}): ${address}`);
  return gatewayError('unreachable', `The gateway cannot be reached (${reason}): ${address}`);
}

export const redirected = (address: string, status: number): AppError =>
  gatewayError('invalid_answer', `Redirected with status ${status}; --url must be the final URL: ${address}`);

/** The error of a response that is not in the form of a gateway. */
export function foreignAnswer(address: string, status: number): AppError {
  if (status >= 502 && status <= 504)
    return gatewayError(
      'unreachable',
      `The gateway cannot be reached (status ${status} of a proxy): ${address}`,
    );
  return gatewayError(
    'invalid_answer',
    `The response with status ${status} is not from a Vouchgraph gateway: ${address}`,
  );
}

/** The JSON object of a successful response of REST. */
export function objectOf(address: string, status: number, text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null) return value as Record<string, unknown>;
  } catch {}
  throw foreignAnswer(address, status);
}

export function gatewayError(reason: string, message: string): AppError {
  const isInvalid = reason === 'invalid_answer' || reason === 'unsupported';
  return new AppError(`gateway.${reason}`, isInvalid ? 'unprocessable' : 'unavailable', message);
}
