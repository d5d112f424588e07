import { createHmac, randomBytes } from 'node:crypto';
import { Webhook } from 'standardwebhooks';
import type { SignatureFormat } from './endpoint.ts';

const PREFIX = 'whsec_';
const CONTENT_TYPE = 'application/json';
const SIGNED_HEADERS = 'content-type x-event-id x-event-type';

/** A new secret: whsec_ and 32 random bytes as base64. */
export function newSecret(): string {
  return PREFIX + randomBytes(32).toString('base64');
}

export type Message = { readonly id: string; readonly type: string; readonly body: string };

/**
 * The headers of a delivery, as Standard Webhooks has them: one signature for each secret that is live. The older
 * form besides, where it is asked for.
 */
export function signedHeaders(
  { id, type, body }: Message,
  secrets: readonly string[],
  format: SignatureFormat,
  at: Date,
): Record<string, string> {
  const headers = {
    'content-type': CONTENT_TYPE,
    'user-agent': 'Vouchgraph-Webhooks/1',
    'webhook-id': id,
    'webhook-timestamp': String(unixSeconds(at)),
    'webhook-signature': secrets.map((secret) => new Webhook(secret).sign(id, at, body)).join(' '),
  };
  if (format === 'standard') return headers;
  return {
    ...headers,
    'x-event-id': id,
    'x-event-type': type,
    'x-signature': olderSignature({ id, type, body }, secrets, at),
  };
}

function olderSignature({ id, type, body }: Message, secrets: readonly string[], at: Date): string {
  const t = unixSeconds(at);
  const signed = [t, SIGNED_HEADERS, CONTENT_TYPE, id, type, body].join('.');
  const digests = secrets.map((secret) => {
    const key = Buffer.from(secret.slice(PREFIX.length), 'base64');
    return `v1=${createHmac('sha256', key).update(signed).digest('hex')}`;
  });
  return [`t=${t}`, `h=${SIGNED_HEADERS}`, ...digests].join(',');
}

function unixSeconds(at: Date): number {
  return Math.floor(at.getTime() / 1000);
}
