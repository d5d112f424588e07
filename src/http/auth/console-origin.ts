import type { IncomingMessage } from 'node:http';
import { isLoopbackHost } from '@vouchgraph/events/webhooks';
import { headerOf } from '@vouchgraph/platform/http';

/** Origins under which browsers reach the console of this gateway. */
export type ConsoleOrigins = {
  /** The one in links and of passkeys. */
  readonly origin: string;
  /** All of them. */
  readonly all: ReadonlySet<string>;
  readonly isSecure: boolean;
  /** Whether people can sign in: over HTTPS, or on this machine. */
  readonly isUsable: boolean;
};

/** `baseUrl`: address of the gateway. On loopback it is `localhost`, since passkeys need a name. */
export function consoleOrigins(baseUrl: string): ConsoleOrigins {
  const url = new URL(baseUrl);
  const isLoopback = isLoopbackHost(url.hostname.replace(/^\[(.*)\]$/, '$1'));
  const given = url.origin;
  if (isLoopback) url.hostname = 'localhost';
  const isSecure = url.protocol === 'https:';
  return {
    origin: url.origin,
    all: new Set([url.origin, given]),
    isSecure,
    isUsable: isSecure || isLoopback,
  };
}

/**
 * Whether a request with a cookie comes from a page of the console. Browsers send `Origin` with everything but plain reads,
 * for which they send `Sec-Fetch-Site`.
 */
export function isFromConsole({ all }: ConsoleOrigins, request: IncomingMessage): boolean {
  const origin = headerOf(request, 'origin');
  if (origin !== '') return all.has(origin);
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  return (
    isRead && request.headers.upgrade === undefined && headerOf(request, 'sec-fetch-site') === 'same-origin'
  );
}
