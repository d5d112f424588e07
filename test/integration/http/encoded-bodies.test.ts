import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { generateMasterKey } from '@vouchgraph/platform/crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { ROUTES } from '../../../src/http/rest/routes/routes.ts';
import { type Gateway, startGateway, type TestProject, unique } from '../../support/gateway.ts';
import { expectedMedia, noiseImage } from '../../support/media.ts';
import { CONSENT_VERSION, consentAt, verificationLink } from '../../support/verification.ts';

/* Encoded request bodies. Read as they are, they were reported as text that is not UTF-8. */
const masterKey = generateMasterKey();
let gateway: Gateway;
let project: TestProject;

beforeAll(async () => {
  gateway = await startGateway({ masterKey });
  project = await gateway.project();
});
afterAll(() => gateway.close());

const ENCODINGS = [
  ['gzip', gzipSync],
  ['GZIP', gzipSync],
  ['br', brotliCompressSync],
  ['deflate', deflateSync],
  ['gzip, identity', gzipSync],
  ['zstd', gzipSync],
] as const;
const NIL = '00000000-0000-7000-8000-000000000000';

/** One request at a time: a session has few concurrent uploads. */
async function sendEncoded(
  url: string,
  method: string,
  headers: Record<string, string>,
  body: string | Uint8Array,
) {
  const answers: { status: number; accepted: string | null; text: string }[] = [];
  for (const [encoding, encode] of ENCODINGS) {
    const response = await fetch(url, {
      method,
      headers: { 'content-type': 'application/json', ...headers, 'content-encoding': encoding },
      body: Buffer.from(encode(body)),
    });
    const { status } = response;
    const accepted = response.headers.get('accept-encoding');
    answers.push({ status, accepted, text: await response.text() });
  }
  return answers;
}

const MESSAGE = 'Unsupported Media Type: send the body without content-encoding';

async function expectRefused(...call: Parameters<typeof sendEncoded>): Promise<void> {
  for (const { status, accepted, text } of await sendEncoded(...call)) {
    expect([status, accepted]).toEqual([415, 'identity']);
    expect(text).toContain(MESSAGE);
  }
}

const key = () => ({ 'x-api-key': project.key });

describe('an encoded body is a 415 that names the accepted encoding', () => {
  it.each(ROUTES.filter(({ body }) => body !== null).map(({ method, path }) => [method, path] as const))(
    '%s %s',
    async (method, path) => {
      const url = gateway.baseUrl + path.replace(/\{(\w+)\}/g, NIL);
      await expectRefused(url, method, key(), JSON.stringify({ email: 'a@example.com', target_list: 'x' }));
    },
  );

  it('of GraphQL, before anything runs', async () => {
    const name = unique('encoded');
    const query = `mutation { createList(input: { name: "${name}" }) { requestId } }`;
    await expectRefused(`${gateway.baseUrl}/graphql`, 'POST', key(), JSON.stringify({ query }));
    expect((await project.rest('GET', `/list/${name}`)).status).toBe(400);
  });

  it('of an import of emails', async () => {
    const headers = { ...key(), 'content-type': 'text/csv' };
    for (const path of ['/email/imports', `/email/imports/${NIL}`])
      await expectRefused(gateway.baseUrl + path, 'POST', headers, 'email\na@example.com\n');
    expect((await project.rest('GET', '/email/imports')).body.imports).toEqual([]);
  });

  it('of the page of a verification', async () => {
    const { sessionId, secret } = await verificationLink(project);
    const body = JSON.stringify({ secret, consent: consentAt() });
    expect(body).toContain(CONSENT_VERSION);
    await expectRefused(`${gateway.baseUrl}/verify/${sessionId}/start`, 'POST', {}, body);
  });

  it('of an upload', async () => {
    const { uploadUrl } = await expectedMedia({ gateway, masterKey }, project);
    const headers = { 'content-type': 'image/jpeg' };
    await expectRefused(uploadUrl, 'PUT', headers, await noiseImage());
  });
});

it('the encoding identity is none', async () => {
  const body = { list_description: 'Plain' };
  const headers = { 'content-encoding': 'identity' };
  expect((await project.rest('POST', `/list/${unique('plain')}`, body, headers)).status).toBe(200);
});
