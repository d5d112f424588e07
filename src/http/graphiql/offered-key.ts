import type { IncomingMessage } from 'node:http';
import { isIP } from 'node:net';
import type { AccessService } from '../../domain/projects/access-service.ts';
import { AppError } from '../../platform/errors.ts';
import { headerOf, jsonAnswer, methodNotAllowed, sendAnswer } from '../../platform/http.ts';
import type { Exchange } from '../exchange.ts';

/** Path of the request with which the page of GraphiQL reads the key. */
export const OFFERED_KEY_PATH = '/graphiql/key';

export type OfferedKeyDeps = {
  access: AccessService;
  /** Reads the key of the sandbox project that the first start created, null without one. */
  readSandboxKey: () => Promise<string | null>;
};

/**
 * Answers the page of GraphiQL with the key of the sandbox project, so that a first visit on the machine of the gateway
 * needs no key. Any doubt about the origin of the request makes it null, in the same form.
 */
export async function answerOfferedKey(deps: OfferedKeyDeps, { request, response }: Exchange): Promise<void> {
  if (request.method !== 'POST') throw methodNotAllowed(['POST', 'OPTIONS']);
  request.resume();
  const key = isOfLocalPage(request) ? await findKey(deps) : null;
  const headers = { 'cross-origin-resource-policy': 'same-origin' };
  sendAnswer(response, jsonAnswer(200, { key }, headers));
}

/** A key that was revoked, and one of another database, is not offered. */
async function findKey({ access, readSandboxKey }: OfferedKeyDeps): Promise<string | null> {
  const key = await readSandboxKey();
  if (key === null) return null;
  try {
    const { project } = await access.viewerOfKey(key);
    return project.environment === 'sandbox' ? key : null;
  } catch (error) {
    if (error instanceof AppError && error.kind === 'unauthenticated') return null;
    throw error;
  }
}

/**
 * Whether a page that this gateway served to a browser of this machine sends the request:
 * - The peer is a loopback address.
 * - The Host header names loopback. A page of a foreign name that resolves to 127.0.0.1 (DNS rebinding) has its own name there.
 * - The Origin header, which browsers add to every POST and no page can change, is that of this gateway.
 * - No proxy is in between: proxies add headers of their own, or speak HTTP/1.0.
 */
export function isOfLocalPage(request: IncomingMessage): boolean {
  const host = headerOf(request, 'host');
  const site = headerOf(request, 'sec-fetch-site');
  return (
    isLoopbackAddress(request.socket.remoteAddress ?? '') &&
    isLoopbackHost(host) &&
    headerOf(request, 'origin') === `http://${host}` &&
    (site === '' || site === 'same-origin') &&
    request.httpVersion === '1.1' &&
    !Object.keys(request.headers).some(isOfProxy)
  );
}

function isLoopbackAddress(address: string): boolean {
  return address === '::1' || /^(::ffff:)?127\.\d+\.\d+\.\d+$/.test(address);
}

/** Whether `host` (a name or address, with or without a port) is loopback. */
export function isLoopbackHost(host: string): boolean {
  const name = /^(\[[\da-f:]+\]|[^:[\]]+)(?::\d{1,5})?$/i.exec(host)?.[1]?.toLowerCase();
  if (name === undefined) return false;
  return name === 'localhost' || name === '[::1]' || (isIP(name) === 4 && name.startsWith('127.'));
}

const PROXY_HEADERS: ReadonlySet<string> = new Set([
  'forwarded',
  'via',
  'x-real-ip',
  'x-client-ip',
  'x-original-host',
  'true-client-ip',
  'cf-connecting-ip',
  'cf-ray',
  'fastly-client-ip',
  'x-arr-ssl',
]);

function isOfProxy(header: string): boolean {
  return header.startsWith('x-forwarded') || PROXY_HEADERS.has(header);
}
