import { generateMasterKey } from '@vouchgraph/platform/crypto';
import { decryptSessionFacts } from '@vouchgraph/signals/internals/session/fact-patches';
import type { StoredFacts } from '@vouchgraph/signals/internals/session/stored-facts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Answer, type Gateway, send, startGateway, type TestProject } from '../../support/gateway.ts';
import { openProject } from '../../support/media.ts';

const masterKey = generateMasterKey();
let gateway: Gateway;
let limited: Gateway;
let project: TestProject;

beforeAll(async () => {
  gateway = await startGateway({ masterKey });
  project = await gateway.project();
  const { database } = gateway;
  const settings = {
    TRUSTED_PROXIES: '127.0.0.1',
    PATCH_LIMIT_PER_MINUTE: '5',
    PATCH_BYTES_PER_MINUTE: '2000',
  };
  limited = await startGateway({ masterKey, database, settings });
});
afterAll(async () => {
  await limited.close();
  await gateway.close();
});

type Opened = { session_id: string; token: string };

const post = (facts: object): Promise<Answer> =>
  send(`${gateway.baseUrl}/session`, 'POST', { project_id: project.projectId, ...facts });

async function opened(facts: object = {}): Promise<Opened> {
  const { status, body } = await post(facts);
  expect(status).toBe(200);
  return body;
}

const patch = ({ session_id, token }: Opened, facts: object, headers = {}, to = gateway): Promise<Answer> =>
  send(`${to.baseUrl}/session/${session_id}`, 'PATCH', facts, {
    authorization: `Bearer ${token}`,
    ...headers,
  });

const checks = (count: number, length: number, name = 'extra') =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`${name}_${index}`, 'x'.repeat(length)]));

const query = <T>(name: string, text: string, values: unknown[]): Promise<T[]> =>
  gateway.app.database.system.query<T>({ name: `test.${name}`, text }, values);

const rowsOf = ({ session_id }: Opened) =>
  query<{ facts: Buffer; result: Buffer; patches: number }>(
    'facts',
    `select s.facts, s.result, (select count(*)::int from session_patches p where p.session_id = s.session_id) as patches
     from sessions s where s.session_id = $1`,
    [session_id],
  );

/** Stored facts of a completed session. */
async function storedFacts(session: Opened): Promise<StoredFacts> {
  const opened = await openProject(gateway, masterKey, project.projectId);
  const [row] = await rowsOf(session);
  expect(row!.patches).toBe(0);
  return decryptSessionFacts(opened, session.session_id, row!.facts);
}

const complete = ({ session_id }: Opened) => project.rest('POST', `/session/${session_id}/complete`);

describe('the facts of a session', () => {
  it('have at most 32 KB when it is opened by a page or a server, and otherwise nothing is stored', async () => {
    const large = { checks: checks(33, 1000) };
    const count = () => query('count', 'select 1 from sessions where project_id = $1', [project.projectId]);
    const before = (await count()).length;
    const refused = {
      statusCode: 413,
      code: expect.any(String),
      message: 'The facts of a session must be at most 32 KB in total: nothing was stored',
    };
    for (const answer of [await post(large), await project.rest('POST', '/session', large)])
      expect([answer.status, answer.body]).toEqual([413, refused]);
    expect((await count()).length).toBe(before);
    const fits = { checks: checks(31, 1000) };
    expect([(await post(fits)).status, (await project.rest('POST', '/session', fits)).status]).toEqual([
      200, 200,
    ]);
  });

  it('have at most 32 KB with all added facts: a patch over the limit changes nothing, and smaller ones are accepted', async () => {
    const session = await opened();
    for (let index = 0; index < 10; index += 1)
      expect((await patch(session, { checks: checks(3, 1000, `part_${index}`) })).status).toBe(200);
    const before = await rowsOf(session);
    const refused = await patch(session, { checks: checks(3, 1000, 'beyond') });
    expect([refused.status, refused.body.message]).toEqual([413, expect.stringContaining('32 KB')]);
    expect(await rowsOf(session)).toEqual(before);
    // Replacing existing values adds nothing.
    expect((await patch(session, { checks: checks(3, 1000, 'part_0') })).status).toBe(200);
    expect((await patch(session, { bot: { click_num_events: 2 } })).status).toBe(200);
  });

  it('are also rejected over the limit in GraphQL', async () => {
    const { body } = await project.rawGraphql(
      'mutation ($input: CreateSessionInput!) { createSession(input: $input) { token } }',
      { input: { facts: { checks: checks(33, 1000) } } },
    );
    expect(body.errors[0].extensions).toMatchObject({ code: 'session.facts_too_long', status: 413 });
  });

  it('are not written again with each patch', async () => {
    const session = await opened({ checks: checks(6, 1000) });
    const [before] = await rowsOf(session);
    for (let index = 1; index <= 10; index += 1)
      expect((await patch(session, { bot: { mouse_num_events: index } })).status).toBe(200);
    const [after] = await rowsOf(session);
    // A value that is encrypted again differs.
    expect([after!.facts.equals(before!.facts), after!.patches]).toEqual([true, 10]);
    expect(after!.result.equals(before!.result)).toBe(false);
    expect((await complete(session)).status).toBe(200);
    const { input } = await storedFacts(session);
    expect([input.bot, Object.keys(input.checks!).length]).toEqual([{ mouseNumEvents: 10 }, 6]);
  });

  it('are merged periodically, so that a session has few patches, and the last value applies', async () => {
    const session = await opened({ checks: { kept: 1 } });
    for (let index = 1; index <= 40; index += 1) {
      expect((await patch(session, { checks: { last: index, [`n_${index}`]: index } })).status).toBe(200);
      expect((await rowsOf(session))[0]!.patches).toBeLessThanOrEqual(16);
    }
    await complete(session);
    const { input } = await storedFacts(session);
    expect(input.checks).toMatchObject({ kept: 1, last: 40, n_1: 1, n_17: 17, n_40: 40 });
    expect(Object.keys(input.checks!)).toHaveLength(42);
  });

  it('are merged before replaced patches exceed 32 KB', async () => {
    const session = await opened();
    for (let index = 1; index <= 12; index += 1) {
      const replacing = { checks: { large: `${index}:${'x'.repeat(14_000)}`, [`n_${index}`]: index } };
      expect((await patch(session, replacing)).status).toBe(200);
      const [stored] = await query<{ bytes: number }>(
        'patch_bytes',
        `select coalesce(sum(octet_length(facts)), 0)::int as bytes from session_patches where session_id = $1`,
        [session.session_id],
      );
      expect(stored!.bytes).toBeLessThanOrEqual(32 * 1024);
    }
    await complete(session);
    const { input } = await storedFacts(session);
    expect(Object.keys(input.checks!)).toHaveLength(13);
    expect([input.checks!.n_1, String(input.checks!.large).slice(0, 3)]).toEqual([1, '12:']);
  });

  it('contain every patch of many concurrent ones', async () => {
    const session = await opened();
    const answers = await Promise.all(
      Array.from({ length: 30 }, (_, index) => patch(session, { checks: { [`at_once_${index}`]: true } })),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(30).fill(200));
    await complete(session);
    expect(Object.keys((await storedFacts(session)).input.checks!)).toHaveLength(30);
  });

  it('contain every patch that was accepted while the session is completed', async () => {
    for (let round = 0; round < 5; round += 1) {
      const session = await opened();
      const add = (index: number) => patch(session, { checks: { [`n_${index}`]: true } });
      const answers = await Promise.all([add(0), add(1), add(2), complete(session), add(3), add(4)]);
      const [accepted, refused] = [200, 409].map(
        (status) => answers.filter((each) => each.status === status).length,
      );
      expect(accepted! + refused!).toBe(6);
      const { input } = await storedFacts(session);
      expect(Object.keys(input.checks ?? {})).toHaveLength(accepted! - 1);
    }
  });

  it('are used by a decision that is made while they are added', async () => {
    const session = await opened();
    const account = { id: `patched-${session.session_id}` };
    const body = { session_id: session.session_id, account };
    const [added, bound] = await Promise.all([
      patch(session, { location: { latitude: 48.8, longitude: 2.3 } }),
      project.rest('POST', '/session/authenticate', body),
    ]);
    expect([200, 409]).toContain(added.status);
    expect(bound.status).toBe(200);
    expect((await patch(session, { bot: { click_num_events: 1 } })).status).toBe(409);
  });

  it('are erased with their account, including patches that were not merged', async () => {
    const session = await opened();
    const id = `erased-${session.session_id}`;
    expect((await patch(session, { bot: { click_num_events: 1 } })).status).toBe(200);
    const body = { session_id: session.session_id, account: { id } };
    expect((await project.rest('POST', '/session/authenticate', body)).status).toBe(200);
    expect((await project.rest('DELETE', `/account/${id}`)).status).toBeLessThan(300);
    for (const table of ['sessions', 'session_patches'])
      expect(
        await query(`left in ${table}`, `select 1 from ${table} where session_id = $1`, [session.session_id]),
      ).toEqual([]);
  });
});

describe('patches of one address', () => {
  it('are limited in number over all its sessions, with an IPv6 /64 as one address', async () => {
    const sessions = [await opened(), await opened()];
    const from = (index: number, address: string) =>
      patch(
        sessions[index % 2]!,
        { bot: { click_num_events: index } },
        { 'x-forwarded-for': address },
        limited,
      );
    for (let index = 0; index < 5; index += 1)
      expect((await from(index, `2a01:e34:ec12:3450::${index + 1}`)).status).toBe(200);
    const refused = await from(5, '2a01:e34:ec12:3450::99');
    expect([refused.status, refused.headers.has('retry-after')]).toEqual([429, true]);
    expect((await from(6, '2a01:e34:ec12:3451::1')).status).toBe(200);
  });

  it('are limited in bytes, and rejected with 413 beyond them', async () => {
    const session = await opened();
    const from = { 'x-forwarded-for': '90.54.1.77' };
    expect((await patch(session, { checks: { a: 'x'.repeat(1500) } }, from, limited)).status).toBe(200);
    const before = await rowsOf(session);
    const refused = await patch(session, { checks: { b: 'x'.repeat(1500) } }, from, limited);
    expect([refused.status, refused.body.statusCode]).toEqual([413, 413]);
    expect(await rowsOf(session)).toEqual(before);
  });

  it('do not include those that a server adds with its key', async () => {
    const id = await project.session({ open: true });
    const { key } = project;
    for (let index = 0; index < 7; index += 1) {
      const facts = { bot: { click_num_events: index }, checks: { a: 'x'.repeat(500) } };
      const headers = { 'x-api-key': key };
      expect((await send(`${limited.baseUrl}/session/${id}`, 'PATCH', facts, headers)).status).toBe(200);
    }
  });
});
