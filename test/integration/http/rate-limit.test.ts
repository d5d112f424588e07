import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Answer,
  type Gateway,
  send,
  startGateway,
  type TestProject,
  unique,
} from '../../support/gateway.ts';

let gateway: Gateway;

beforeAll(async () => {
  gateway = await startGateway({
    settings: { RATE_LIMIT_PER_MINUTE: '5', COLLECTOR_LIMIT_PER_MINUTE: '3', TRUSTED_PROXIES: '127.0.0.1' },
  });
});
afterAll(() => gateway.close());

const TOO_MANY = { statusCode: 429, code: expect.any(String), message: 'Too Many Requests' };

/** The number behind a parameter of a structured field such as `"default";r=4;t=60`. */
function parameter(answer: Answer, header: string, name: string): number {
  return Number(
    new RegExp(`^"default"(?:;[a-z]=\\d+)*?;${name}=(\\d+)`).exec(answer.headers.get(header) ?? '')?.[1],
  );
}

async function exhausted(): Promise<TestProject> {
  const project = await gateway.project();
  await Promise.all(Array.from({ length: 5 }, () => project.rest('GET', '/account/x')));
  return project;
}

describe('the requests of a key', () => {
  it('succeed up to the exact limit when all arrive concurrently', async () => {
    const project = await gateway.project();
    const answers = await Promise.all(Array.from({ length: 12 }, () => project.rest('GET', '/account/x')));
    expect(answers.filter(({ status }) => status === 400)).toHaveLength(5);
    const refused = answers.filter(({ status }) => status === 429);
    expect(refused).toHaveLength(7);
    for (const answer of refused) {
      expect(answer.body).toEqual(TOO_MANY);
      const seconds = Number(answer.headers.get('retry-after'));
      expect(seconds).toBeGreaterThanOrEqual(1);
      expect(seconds).toBeLessThanOrEqual(60);
      expect(answer.headers.get('ratelimit')).toBe(`"default";r=0;t=${seconds}`);
      expect(answer.headers.get('ratelimit-policy')).toBe('"default";q=5;w=60');
      expect(answer.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/);
    }
  });

  it('contain the remaining number while they succeed', async () => {
    const project = await gateway.project();
    const left: number[] = [];
    for (let count = 0; count < 5; count += 1) {
      const answer = await project.rest('GET', '/account/x');
      left.push(parameter(answer, 'ratelimit', 'r'));
      expect(parameter(answer, 'ratelimit-policy', 'q')).toBe(5);
      expect(answer.headers.get('retry-after')).toBeNull();
    }
    expect(left).toEqual([4, 3, 2, 1, 0]);
  });

  it('share a count over REST and GraphQL, which reports it by a code', async () => {
    const project = await gateway.project();
    for (let count = 0; count < 3; count += 1) await project.rest('GET', '/account/x');
    for (let count = 0; count < 2; count += 1) await project.graphql('{ project { name } }');
    expect((await project.rest('GET', '/account/x')).status).toBe(429);
    const answer = await project.rawGraphql('{ project { name } }');
    expect(answer.status).toBe(429);
    expect(answer.body.errors[0]).toMatchObject({
      message: expect.stringMatching(
        /^Too Many Requests: the limit is 5 per minute, retry after \d+ seconds?$/,
      ),
      extensions: { code: 'rate_limit.exceeded' },
    });
    const seconds = parameter(answer, 'ratelimit', 't');
    expect(Number(answer.headers.get('retry-after'))).toBe(seconds);
    expect(answer.body.errors[0].extensions.retryAfterSeconds).toBe(seconds);
    expect(answer.body.errors[0].message).toContain(`retry after ${seconds} second`);
  });

  it('have no effect when they are rejected', async () => {
    const project = await gateway.project();
    const id = unique('limited');
    await project.authenticate({ id });
    for (let count = 0; count < 3; count += 1) await project.rest('GET', '/account/x');
    expect((await project.rest('DELETE', `/account/${id}`)).body).toEqual(TOO_MANY);
    const { key } = await gateway.app.projects.createKey(project.projectId, 'read');
    expect((await project.withKey(key).rest('GET', `/account/${id}`)).status).toBe(200);
  });

  it('are counted separately from other keys of any project and from browser tokens', async () => {
    const fresh = await gateway.project();
    const create =
      'mutation { createBrowserToken(input: { scopes: [ACCOUNT], accountId: "nobody" }) { token } }';
    const { token } = (await fresh.graphql(create)).createBrowserToken;
    for (let count = 0; count < 4; count += 1) await fresh.rest('GET', '/account/x');
    expect((await fresh.rest('GET', '/account/x')).status).toBe(429);
    const { key } = await gateway.app.projects.createKey(fresh.projectId, 'server');
    expect((await fresh.withKey(key).rest('GET', '/account/x')).status).toBe(400);
    expect((await (await gateway.project()).rest('GET', '/account/x')).status).toBe(400);
    const url = `${gateway.baseUrl}/account/x`;
    expect((await send(url, 'GET', undefined, { authorization: `Bearer ${token}` })).status).toBe(400);
  });

  it('are not counted on routes without a key', async () => {
    const project = await exhausted();
    for (const path of ['/livez', '/readyz', '/openapi.json', '/nowhere']) {
      expect((await project.rest('GET', path)).status).not.toBe(429);
    }
  });
});

describe('the sessions that pages open', () => {
  const open = (project: TestProject, ip: string) =>
    send(`${gateway.baseUrl}/session`, 'POST', { project_id: project.projectId }, { 'x-forwarded-for': ip });

  it('are limited by address across projects', async () => {
    const [one, two] = [await gateway.project(), await gateway.project()];
    const answers = await Promise.all([one, two, one, two, one].map((project) => open(project, '8.8.8.8')));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 429, 429]);
    const refused = answers.find(({ status }) => status === 429)!;
    expect(refused.body).toEqual(TOO_MANY);
    expect(refused.headers.get('ratelimit-policy')).toBe('"default";q=3;w=60');
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThanOrEqual(1);
    expect((await open(one, '8.8.4.4')).status).toBe(200);
  });

  it('do not count against the limit of a key', async () => {
    const project = await exhausted();
    expect((await open(project, '9.9.9.9')).status).toBe(200);
    expect((await project.rest('POST', '/session', {})).status).toBe(429);
  });
});
