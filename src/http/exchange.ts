import type { IncomingMessage, ServerResponse } from 'node:http';
import type { ClientAddress } from '@vouchgraph/platform/client-address';
import { headerOf } from '@vouchgraph/platform/http';
import { newId } from '@vouchgraph/platform/ids';
import { EDGE_HEADERS, OBSERVED_HEADERS } from '@vouchgraph/signals';
import type { ConnectionFacts } from '../domain/sessions/session-service.ts';
import type { Drain } from './drain.ts';
import type { PageDownloads } from './pages/page-downloads.ts';

/** A request and its answer, as every protocol receives them. */
export type Exchange = {
  request: IncomingMessage;
  response: ServerResponse;
  requestId: string;
  path: string;
  readonly query: URLSearchParams;
  ip: string;
  /** Whether the request came through a proxy that the operator names. */
  isThroughTrustedProxy: boolean;
  downloads: PageDownloads;
  drain: Drain;
  /** Stable name of the operation in the log; 'other' until it is known. */
  operation: string;
};

/** Sets the headers of every answer, and returns the id of the request. */
export function setCommonHeaders(response: ServerResponse): string {
  const requestId = newId();
  response.setHeader('x-request-id', requestId);
  response.setHeader('x-content-type-options', 'nosniff');
  // Pages and media replace it by rules of their own.
  response.setHeader('cache-control', 'no-store');
  return requestId;
}

/** Sets the id of the request, the address of its client, and the headers of every answer. */
export function beginExchange(
  clientAddress: ClientAddress,
  shared: Pick<Exchange, 'downloads' | 'drain'>,
  request: IncomingMessage,
  response: ServerResponse,
): Exchange {
  const requestId = setCommonHeaders(response);
  const target = request.url ?? '/';
  const mark = target.indexOf('?');
  let query: URLSearchParams | undefined;
  return {
    request,
    response,
    requestId,
    path: mark < 0 ? target : target.slice(0, mark),
    get query() {
      query ??= new URLSearchParams(mark < 0 ? '' : target.slice(mark));
      return query;
    },
    ip: clientAddress(request.socket.remoteAddress, headerOf(request, 'x-forwarded-for')),
    isThroughTrustedProxy: clientAddress.isTrustedPeer(request.socket.remoteAddress),
    ...shared,
    operation: 'other',
  };
}

export function isRead({ method }: IncomingMessage): boolean {
  return method === 'GET' || method === 'HEAD';
}

/** Aborts when the connection closes before the answer is sent. */
export function closeOf(response: ServerResponse): AbortSignal {
  const closed = new AbortController();
  if (response.destroyed) closed.abort();
  else response.once('close', () => closed.abort());
  return closed.signal;
}

/** Facts of the connection that sessions are assessed by. Headers are collected when they are read: few requests read them. */
export function connectionOf(
  { request, ip, isThroughTrustedProxy }: Exchange,
  browserId: string,
): ConnectionFacts {
  return {
    ip,
    get headers() {
      return presentHeaders(request, OBSERVED_HEADERS);
    },
    get edge() {
      return isThroughTrustedProxy ? presentHeaders(request, EDGE_HEADERS) : {};
    },
    browserId,
  };
}

const MAX_HEADER_LENGTH = 2048;

function presentHeaders(request: IncomingMessage, names: readonly string[]): Record<string, string> {
  const present: Record<string, string> = {};
  for (const name of names) {
    const value = headerOf(request, name);
    if (value !== '') present[name] = value.slice(0, MAX_HEADER_LENGTH);
  }
  return present;
}
