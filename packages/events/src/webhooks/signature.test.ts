import { createHmac } from 'node:crypto';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { newId } from '@vouchgraph/platform/ids';
import fc from 'fast-check';
import { Webhook } from 'standardwebhooks';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { eventBody } from '../event-body.ts';
import { newSecret, signedHeaders } from './signature.ts';

const STANDARD = { signatureFormat: 'standard', signatureKey: 'text' } as const;

type Verify = (secret: string, headers: Record<string, string>, body: Buffer, now?: number) => unknown;

/** The function of the documents, copied as by a reader. */
let verify: Verify;
const file = join(tmpdir(), `verify-${newId()}.ts`);

beforeAll(async () => {
  const page = await readFile(new URL('../../../../docs/webhooks.md', import.meta.url), 'utf8');
  await writeFile(file, /```ts\n([\s\S]*?)```/.exec(page)![1]!);
  verify = (await import(pathToFileURL(file).href)).verifyWebhook;
});
afterAll(() => rm(file));

const anyText = fc.string({ unit: 'binary', maxLength: 200 });
const messageOf = (text: string) => {
  const id = newId();
  const body = eventBody({
    id,
    type: 'rule.custom',
    position: 1,
    createdAt: new Date(),
    projectId: newId(),
    sessionId: null,
    referringSessionId: null,
    requestId: null,
    accountId: text,
    facts: { [text]: text, accountId: text },
  });
  return { id, type: 'rule.custom', body };
};

describe('a signature', () => {
  it('equals that of the library and of the documented function for 1,000 random bodies', () => {
    fc.assert(
      fc.property(anyText, (text) => {
        const secret = newSecret();
        const message = messageOf(text);
        const headers = signedHeaders(message, [secret], STANDARD, new Date());
        const expected = JSON.parse(message.body);
        expect(new Webhook(secret).verify(message.body, headers)).toEqual(expected);
        expect(verify(secret, headers, Buffer.from(message.body))).toEqual(expected);
      }),
      { numRuns: 1000 },
    );
  });

  it('is wrong after any bit of the body is flipped', () => {
    const secret = newSecret();
    fc.assert(
      fc.property(anyText, fc.nat(), fc.nat(7), (text, at, bit) => {
        const message = messageOf(text);
        const headers = signedHeaders(message, [secret], STANDARD, new Date());
        const body = Buffer.from(message.body);
        const index = at % body.length;
        body[index] = body[index]! ^ (1 << bit);
        expect(() => verify(secret, headers, body)).toThrow('no signature matches');
      }),
    );
  });

  it('covers the id and the time', () => {
    const secret = newSecret();
    const message = messageOf('x');
    const now = new Date();
    const headers = signedHeaders(message, [secret], STANDARD, now);
    const body = Buffer.from(message.body);
    const later = String(Number(headers['webhook-timestamp']) + 1);
    for (const changed of [{ 'webhook-id': newId() }, { 'webhook-timestamp': later }])
      expect(() => verify(secret, { ...headers, ...(changed as object) }, body)).toThrow(
        'no signature matches',
      );
    expect(() => verify(newSecret(), headers, body)).toThrow('no signature matches');
  });

  it('is rejected six minutes in the past or future, and accepted at four', () => {
    const secret = newSecret();
    const message = messageOf('x');
    const now = Date.now();
    const at = (minutes: number) =>
      signedHeaders(message, [secret], STANDARD, new Date(now + minutes * 60_000));
    const body = Buffer.from(message.body);
    for (const minutes of [-6, 6]) {
      expect(() => verify(secret, at(minutes), body, now)).toThrow(
        'the timestamp differs from the current time by more than five minutes',
      );
      expect(() => new Webhook(secret).verify(message.body, at(minutes))).toThrow();
    }
    expect(verify(secret, at(-4), body, now)).toEqual(JSON.parse(message.body));
  });

  it('is created with each active secret', () => {
    const [one, two] = [newSecret(), newSecret()];
    const message = messageOf('x');
    const headers = signedHeaders(message, [one, two], STANDARD, new Date());
    for (const secret of [one, two])
      expect(verify(secret, headers, Buffer.from(message.body))).toEqual(JSON.parse(message.body));
  });
});

describe('the legacy format', () => {
  it.each([
    ['text', (secret: string) => Buffer.from(secret)],
    ['decoded', (secret: string) => Buffer.from(secret.slice(6), 'base64')],
  ] as const)(
    'is also an HMAC of time, names and values of headers, and body, with the key %s',
    (signatureKey, keyOf) => {
      const secrets = [newSecret(), newSecret()];
      const message = messageOf('ü😀');
      const at = new Date(1_795_271_234_567);
      const headers = signedHeaders(message, secrets, { signatureFormat: 'compat', signatureKey }, at);
      const names = 'content-type x-event-id x-event-type';
      const signed = `1795271234.${names}.application/json.${message.id}.rule.custom.${message.body}`;
      const hex = secrets.map((secret) =>
        createHmac('sha256', keyOf(secret)).update(signed, 'utf8').digest('hex'),
      );
      expect(headers).toMatchObject({
        'x-event-id': message.id,
        'x-event-type': 'rule.custom',
        'x-signature': `t=1795271234,h=${names},v1=${hex[0]},v1=${hex[1]}`,
        'webhook-id': message.id,
      });
    },
  );
});

describe('a secret', () => {
  it('is whsec_ and 32 random bytes as base64', () => {
    const secrets = Array.from({ length: 100 }, newSecret);
    expect(new Set(secrets).size).toBe(100);
    for (const secret of secrets)
      expect(Buffer.from(secret.replace(/^whsec_/, ''), 'base64')).toHaveLength(32);
  });
});
