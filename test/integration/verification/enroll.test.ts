import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Body,
  type Gateway,
  startGateway,
  TestClock,
  type TestProject,
  unique,
} from '../../support/gateway.ts';
import { setVerificationState } from '../../support/media.ts';
import {
  consentAt,
  enroll,
  pagePost,
  playedVerification,
  refusal,
  verificationLink,
  verifyFace,
  verifyId,
  verifyIdentity,
} from '../../support/verification.ts';

let gateway: Gateway;
let clock: TestClock;
let project: TestProject;
beforeAll(async () => {
  clock = new TestClock();
  gateway = await startGateway({ clock });
  project = await gateway.project();
});
afterAll(() => gateway.close());

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const REAL = { simulate: 'success', simulate_decision: 'Real' };
const played = (query: Record<string, string> = REAL) => playedVerification(gateway, project, query);
const refused = (error: string) => ({ status: 400, body: refusal(error) });
const accountOf = (id: string) => project.rest('GET', `/account/${id}`);
const shown = async (id: string): Promise<Body> =>
  (
    await project.graphql(
      'query ($id: ID!) { verification(sessionId: $id) { state accountId decision riskFlags } }',
      { id },
    )
  ).verification;

describe('an enrollment', () => {
  it.each<Record<string, string>>([{}, { id: 'true' }])(
    'binds a session to a new account: %j',
    async (kind) => {
      const account = unique('new');
      const session_id = await played({ ...REAL, ...kind });
      expect((await accountOf(account)).status).toBe(400);
      const { status, body, headers } = await enroll(project, session_id, account);
      expect({ status, body }).toEqual({
        status: 200,
        body: { request_id: headers.get('x-request-id'), success: true },
      });
      expect((await accountOf(account)).body).toMatchObject({ num_sessions: 1, last_session: session_id });
      expect((await project.rest('GET', `/session/${session_id}`)).body.account_ids).toEqual([account]);
      expect((await shown(session_id)).accountId).toBe(account);
      const verify = 'id' in kind ? verifyId : verifyFace;
      expect((await verify(project, session_id)).body.metadata.account_id).toBe(account);
    },
  );

  it('changes nothing when it is repeated', async () => {
    const account = unique('again');
    const session_id = await played();
    for (let times = 0; times < 3; times += 1)
      expect((await enroll(project, session_id, account)).status).toBe(200);
    expect((await accountOf(account)).body.num_sessions).toBe(1);
  });

  it('to another account is rejected, and that account is not created', async () => {
    const [mine, other] = [unique('mine'), unique('other')];
    const bound = await played();
    await enroll(project, bound, mine);
    const made = await played({ ...REAL, account_id: mine });
    for (const session_id of [bound, made])
      expect(await enroll(project, session_id, other)).toMatchObject(
        refused('session_already_tied_to_an_account'),
      );
    expect((await accountOf(other)).status).toBe(400);
    expect((await enroll(project, made, mine)).status).toBe(200);
  });

  it('of one session to two accounts concurrently succeeds for one of them', async () => {
    for (let round = 0; round < 4; round += 1) {
      const accounts = [unique('a'), unique('b'), unique('c')];
      const session_id = await played();
      const answers = await Promise.all(accounts.map((account) => enroll(project, session_id, account)));
      expect(answers.map(({ body }) => body.error ?? 'done').sort()).toEqual([
        'done',
        'session_already_tied_to_an_account',
        'session_already_tied_to_an_account',
      ]);
      const winner = accounts[answers.findIndex(({ status }) => status === 200)]!;
      expect((await shown(session_id)).accountId).toBe(winner);
      const found = await Promise.all(accounts.map(accountOf));
      expect(found.filter(({ status }) => status === 200)).toHaveLength(1);
    }
  });

  it('replaces a face only for an operator', async () => {
    const session_id = await played();
    const { key } = await gateway.app.projects.createKey(project.projectId, 'server');
    const query = 'mutation ($input: EnrollFaceInput!) { enrollFace(input: $input) { requestId } }';
    const input = { sessionId: session_id, accountId: unique('replaced'), replace: true };
    const { body } = await project.withKey(key).rawGraphql(query, { input });
    expect(body.errors[0].extensions.code).toBe('auth.forbidden');
    await project.graphql(query, { input });
  });

  it('emits an authentication of the account', async () => {
    const account = unique('event');
    await enroll(project, await played(), account);
    await gateway.app.settleEvents();
    const { events } = await project.graphql(
      'query ($id: ID) { events(accountId: $id, first: 100) { edges { node { type } } } }',
      { id: account },
    );
    expect(events.edges.map(({ node }: Body) => node.type)).toContain('ACCOUNT_AUTHENTICATED');
  });
});

describe('an identity verification', () => {
  it.each([
    ['Real', true],
    ['Suspicious', false],
    ['Fake', false],
  ])('of a simulated session that is %s matches: %s', async (simulate_decision, match) => {
    const account = unique('identity');
    await project.authenticate({ id: account });
    const session_id = await played({ simulate: 'success', simulate_decision });
    const { status, body, headers } = await verifyIdentity(project, session_id, account);
    expect({ status, body }).toEqual({
      status: 200,
      body: { request_id: headers.get('x-request-id'), success: true, match },
    });
  });

  it('requires an existing account and a face check', async () => {
    expect(await verifyIdentity(project, await played(), unique('nobody'))).toMatchObject(
      refused('account_not_found'),
    );
    const account = unique('known');
    await project.authenticate({ id: account });
    expect(await verifyIdentity(project, await played({ ...REAL, id: 'true' }), account)).toMatchObject(
      refused('session_not_valid_for_this_endpoint'),
    );
  });
});

/** All four, of a session, for a known account. */
async function allErrors(session_id: string): Promise<string[]> {
  await project.authenticate({ id: 'asked for' });
  const answers = [
    await verifyId(project, session_id),
    await verifyFace(project, session_id),
    await verifyIdentity(project, session_id, 'asked for'),
    await enroll(project, session_id, 'asked for'),
  ];
  for (const { status, body } of answers)
    if (status !== 200) expect({ status, body }).toEqual(refused(body.error));
  return answers.map(({ body }) => body.error ?? 'ok');
}
const NOT_VALID = 'session_not_valid_for_this_endpoint';

describe('responses of the endpoints', () => {
  const states: [string, string, (kind: 'id' | 'face') => Promise<string>][] = [
    ['does not exist', 'session_not_found', async () => '00000000-0000-4000-8000-000000000000'],
    ['has an invalid id', 'session_not_found', async () => 'nonsense'],
    ['was not opened', 'session_not_started', async (kind) => (await link(kind)).sessionId],
    [
      'was opened',
      'session_not_started',
      async (kind) => {
        const { sessionId, secret } = await link(kind);
        await pagePost(gateway, sessionId, 'open', { secret });
        return sessionId;
      },
    ],
    ['captures', 'session_not_complete', async (kind) => (await capturing(kind)).sessionId],
    [
      'is processing',
      'session_not_complete',
      async (kind) => {
        const { sessionId } = await capturing(kind);
        await setVerificationState(gateway, project, sessionId, 'processing');
        return sessionId;
      },
    ],
    [
      'failed',
      'liveness_check_failed',
      async (kind) => {
        const { sessionId, token } = await capturing(kind);
        await pagePost(gateway, sessionId, 'fail', { reason: 'failed_to_complete_face_scan' }, token);
        return sessionId;
      },
    ],
  ];
  const link = (kind: 'id' | 'face') => verificationLink(project, kind === 'id' ? { id: 'true' } : {});
  async function capturing(kind: 'id' | 'face') {
    const { sessionId, secret } = await link(kind);
    const { body } = await pagePost(gateway, sessionId, 'start', { secret, consent: consentAt(clock.now()) });
    return { sessionId, token: body.capture_token as string };
  }

  it.each(states)('for a session that %s', async (_, error, make) => {
    const ofOther = error === 'session_not_found' ? error : NOT_VALID;
    expect(await allErrors(await make('id'))).toEqual([error, ofOther, ofOther, error]);
    expect(await allErrors(await make('face'))).toEqual([ofOther, error, error, error]);
  });

  it('for a session that was not started within 24 hours, to the millisecond', async () => {
    const { sessionId } = await link('face');
    clock.advance(DAY - 1);
    expect((await verifyFace(project, sessionId)).body.error).toBe('session_not_started');
    clock.advance(1);
    expect(await allErrors(sessionId)).toEqual([NOT_VALID, NOT_VALID, NOT_VALID, NOT_VALID]);
    expect((await shown(sessionId)).state).toBe('EXPIRED');
  });

  it('for a simulated session that was opened too late: it stays closed', async () => {
    const { sessionId, url } = await verificationLink(project, REAL);
    clock.advance(DAY);
    expect((await fetch(url)).status).toBe(200);
    await gateway.app.settleVerifications(project.projectId);
    expect((await verifyFace(project, sessionId)).body.error).toBe(NOT_VALID);
  });

  it('for a completed session: its own result, for 30 days', async () => {
    const [idCheck, faceCheck] = [await played({ ...REAL, id: 'true' }), await played()];
    clock.advance(30 * DAY - HOUR);
    expect(await allErrors(idCheck)).toEqual(['ok', NOT_VALID, NOT_VALID, 'ok']);
    expect(await allErrors(faceCheck)).toEqual([NOT_VALID, 'ok', 'ok', 'ok']);
    clock.advance(2 * HOUR);
    const late = 'session_older_than_30_days';
    expect(await allErrors(idCheck)).toEqual([NOT_VALID, NOT_VALID, NOT_VALID, late]);
    expect(await allErrors(faceCheck)).toEqual([NOT_VALID, NOT_VALID, NOT_VALID, late]);
    expect(await shown(faceCheck)).toMatchObject({ state: 'COMPLETED', decision: null, riskFlags: null });
  });
});
