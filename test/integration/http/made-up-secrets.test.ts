import { randomBytes } from 'node:crypto';
import { base62 } from '@vouchgraph/platform/ids';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Answer,
  type Gateway,
  send,
  startGateway,
  type TestProject,
  unique,
} from '../../support/gateway.ts';
import { verificationLink } from '../../support/verification.ts';

/* Text in the shape of a verification's secret, sent in place of a key. */
const LIMIT = 60;
const SENT = 100;
const AT_ONCE = 10;
const UNKNOWN = 'Unauthorized: unknown, expired or revoked key or token';
let gateway: Gateway;
let project: TestProject;

beforeAll(async () => {
  gateway = await startGateway({
    settings: {
      TRUSTED_PROXIES: '127.0.0.1',
      RATE_LIMIT_PER_MINUTE: String(LIMIT),
      FAILED_KEY_LIMIT_PER_MINUTE: String(LIMIT),
    },
  });
  project = await gateway.project({ environment: 'production' });
});
afterAll(() => gateway.close());

const madeUp = (projectId: string) => `vgv_${projectId.replaceAll('-', '')}_${base62(randomBytes(32), 43)}`;

function post(
  secret: string,
  from: string,
  query: string,
  more: Record<string, string> = {},
): Promise<Answer> {
  const headers = { authorization: `Bearer ${secret}`, 'x-forwarded-for': from, ...more };
  return send(`${gateway.baseUrl}/graphql`, 'POST', { query }, headers);
}

const UPLOAD = (sessionId: string) =>
  `mutation { createVerificationUpload(input: { sessionId: "${sessionId}", kind: FACE_FRAME, contentType: IMAGE_JPEG }) { objectId } }`;

async function storedAnswers(): Promise<number> {
  const counting = {
    name: 'test.count',
    text: 'select count(*)::int as count from idempotency_keys where $1::int = 1',
  };
  return (await gateway.app.database.system.query(counting, [1]))[0].count;
}

describe('a made-up secret of a verification', () => {
  it('is rejected before anything is run or stored, and its address is limited', async () => {
    const answers: Answer[] = [];
    const field = 'x'.repeat(200_000);
    const worker = async () => {
      while (answers.length < SENT)
        answers.push(
          await post(madeUp(project.projectId), '203.0.113.1', `{ ${field} }`, {
            'idempotency-key': unique('key'),
          }),
        );
    };
    await Promise.all(Array.from({ length: AT_ONCE }, worker));
    const refused = answers.filter(({ status }) => status === 401);
    const limited = answers.filter(({ status }) => status === 429);
    expect(refused.length).toBeGreaterThanOrEqual(LIMIT);
    expect(refused.length).toBeLessThan(LIMIT + AT_ONCE);
    expect(refused.length + limited.length).toBe(answers.length);
    for (const { text, body } of refused) {
      expect(text.length).toBeLessThan(300);
      expect(body.errors[0]).toMatchObject({
        message: UNKNOWN,
        extensions: { code: 'auth.unauthenticated' },
      });
    }
    for (const { headers, body } of limited) {
      expect(Number(headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
      expect(body.errors[0].extensions.code).toBe('rate_limit.exceeded');
    }
    expect(await storedAnswers()).toBe(0);
  });

  it('is rejected in the same way for an unknown session, project or secret', async () => {
    const link = await verificationLink(project);
    const wrong = `${link.secret.slice(0, -1)}${link.secret.endsWith('a') ? 'b' : 'a'}`;
    const stranger = await gateway.project();
    const foreign = madeUp(stranger.projectId);
    const unknown = madeUp('01975a8e-3b18-7c11-9d0e-5f2a8c4b7e61');
    const borrowed = link.secret.replace(
      project.projectId.replaceAll('-', ''),
      stranger.projectId.replaceAll('-', ''),
    );
    for (const secret of [wrong, madeUp(project.projectId), foreign, unknown, borrowed]) {
      const graphql = await post(secret, '203.0.113.2', UPLOAD(link.sessionId));
      expect([graphql.status, graphql.body.errors[0].message]).toEqual([401, UNKNOWN]);
      const headers = { authorization: `Bearer ${secret}`, 'x-forwarded-for': '203.0.113.2' };
      const rest = await send(`${gateway.baseUrl}/session/${link.sessionId}`, 'GET', undefined, headers);
      expect([rest.status, rest.body]).toEqual([
        401,
        { statusCode: 401, code: expect.any(String), message: 'Unauthorized' },
      ]);
    }
  });

  it('does not block a valid secret, which has its own limit and stores no responses', async () => {
    const link = await verificationLink(project);
    const from = '203.0.113.3';
    const first = await post(link.secret, from, UPLOAD(link.sessionId), { 'idempotency-key': unique('key') });
    expect(first.body.data.createVerificationUpload.objectId).toMatch(/^[0-9a-f-]{36}$/);
    expect(first.headers.get('ratelimit')).toMatch(new RegExp(`;r=${LIMIT - 1};`));
    for (let sent = 0; sent < LIMIT + 1; sent += 1) await post(madeUp(project.projectId), from, '{ x }');
    expect((await post(madeUp(project.projectId), from, '{ x }')).status).toBe(429);
    const second = await post(link.secret, from, UPLOAD(link.sessionId), {
      'idempotency-key': unique('key'),
    });
    expect(second.status).toBe(200);
    expect(second.headers.get('ratelimit')).toMatch(new RegExp(`;r=${LIMIT - 2};`));
    expect(await storedAnswers()).toBe(0);
  });
});
