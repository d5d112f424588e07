import { createHmac, createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import { LRUCache } from 'lru-cache';
import type { SignatureKey, Signing } from './endpoint.ts';

const PREFIX = 'whsec_';
const CONTENT_TYPE = 'application/json';
const SIGNED_HEADERS = 'content-type x-event-id x-event-type';

/** A new secret: whsec_ and 32 random bytes as base64. */
export function newSecret(): string {
  return PREFIX + randomBytes(32).toString('base64');
}

export type Message = { readonly id: string; readonly type: string; readonly body: string };

/**
 * The headers of a delivery, as defined by Standard Webhooks: one signature for each valid secret. Also the older form, if
 * requested.
 */
export function signedHeaders(
  { id, type, body }: Message,
  secrets: readonly string[],
  { signatureFormat, signatureKey }: Signing,
  at: Date,
): Record<string, string> {
  const timestamp = String(unixSeconds(at));
  const headers = {
    'content-type': CONTENT_TYPE,
    'user-agent': 'Vouchgraph-Webhooks/1',
    'webhook-id': id,
    'webhook-timestamp': timestamp,
    'webhook-signature': secrets.map((secret) => signature(secret, `${id}.${timestamp}.`, body)).join(' '),
  };
  if (signatureFormat === 'standard') return headers;
  return {
    ...headers,
    'x-event-id': id,
    'x-event-type': type,
    'x-signature': olderSignature({ id, type, body }, secrets, signatureKey, at),
  };
}

function signature(secret: string, head: string, body: string): string {
  return `v1,${createHmac('sha256', keyOf(secret)).update(head).update(body).digest('base64')}`;
}

const MAX_REMEMBERED = 1000;
const keys = new LRUCache<string, KeyObject>({ max: MAX_REMEMBERED });

/** Made once for a secret: making it takes as long as signing. */
function keyOf(secret: string): KeyObject {
  let key = keys.get(secret);
  if (!key) {
    key = createSecretKey(Buffer.from(secret.slice(PREFIX.length), 'base64'));
    keys.set(secret, key);
  }
  return key;
}

function olderSignature(
  { id, type, body }: Message,
  secrets: readonly string[],
  signatureKey: SignatureKey,
  at: Date,
): string {
  const t = unixSeconds(at);
  const signed = [t, SIGNED_HEADERS, CONTENT_TYPE, id, type, body].join('.');
  const digests = secrets.map((secret) => {
    const key = signatureKey === 'text' ? secret : keyOf(secret);
    return `v1=${createHmac('sha256', key).update(signed).digest('hex')}`;
  });
  return [`t=${t}`, `h=${SIGNED_HEADERS}`, ...digests].join(',');
}

function unixSeconds(at: Date): number {
  return Math.floor(at.getTime() / 1000);
}
