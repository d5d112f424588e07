import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Gateway, startGateway, type TestProject, unique } from '../../support/gateway.ts';
import { browserToken, collect, headOf, overSocket, overStream } from '../../support/subscriptions.ts';
import { playedVerification } from '../../support/verification.ts';

let gateway: Gateway;
let project: TestProject;
const open: { dispose(): void | Promise<void> }[] = [];
beforeAll(async () => {
  gateway = await startGateway();
  project = await gateway.project();
});
afterEach(async () => {
  for (const one of open.splice(0)) await one.dispose();
});
afterAll(() => gateway.close());

const ENDED = `subscription ($after: String, $kind: VerificationKind, $accountId: ID, $sessionId: ID) {
  verificationEnded(after: $after, kind: $kind, accountId: $accountId, sessionId: $sessionId) {
    __typename type kind sessionId accountId referringSessionId createdAt cursor data
    verification { sessionId state } account { accountId }
    ... on VerificationCompletedEvent { result { decision riskScore riskFlags matchCount } }
    ... on VerificationFailedEvent { failure } } }`;
/** The same for browser tokens, which do not read the number of matches. */
const ENDED_FOR_TOKENS = ENDED.replace(' matchCount', '');
const FAILURES = { id: 'FAILED_TO_PROCESS_ID_SCAN', face: 'LIVENESS_CHECK_FAILED' };
const RISK_FLAGS_OF_ID = ['REPEAT_ID'];
const FACES = [
  { face: 'a WebSocket', connect: overSocket },
  { face: 'an event stream', connect: overStream },
];
type Connect = typeof overSocket | typeof overStream;

const byKey = (connect: Connect = overSocket) => {
  const client = connect(gateway.baseUrl, { 'x-api-key': project.key });
  open.push(client);
  return client;
};
const byToken = async (limits: Record<string, string>) => {
  const client = overSocket(gateway.baseUrl, {
    authorization: `Bearer ${await browserToken(project, limits)}`,
  });
  open.push(client);
  return client;
};
const head = async () => {
  await gateway.app.settleEvents();
  return headOf(project);
};
const succeed = (query: Record<string, string> = {}) =>
  playedVerification(gateway, project, { simulate: 'success', simulate_decision: 'Suspicious', ...query });
const fail = (simulate: string, query: Record<string, string> = {}) =>
  playedVerification(gateway, project, { simulate, ...query });

describe.each(FACES)('verificationEnded over $face', ({ connect }) => {
  it('receives completed and failed checks in order, and resumes after a cursor', async () => {
    const after = await head();
    const referring = await project.session();
    const account = unique('ended');
    const ids = [
      await succeed({ id: 'true', simulate_risk_flags: 'repeat_id', referring_session_id: referring }),
      await fail('failed_to_process_id_scan', { id: 'true', account_id: account }),
      await fail('liveness_check_failed'),
    ];
    const seen = collect(byKey(connect), ENDED, { after });
    const [completed, failed, third] = await seen.until(3);
    expect(completed).toMatchObject({
      ...{ __typename: 'IdCheckCompletedEvent', type: 'VERIFICATION_ID_CHECK_COMPLETED', kind: 'ID_CHECK' },
      ...{ sessionId: ids[0], accountId: null, referringSessionId: referring },
      result: { decision: 'SUSPICIOUS', riskScore: 0.5, riskFlags: RISK_FLAGS_OF_ID, matchCount: 0 },
      verification: { sessionId: ids[0], state: 'COMPLETED' },
      data: { decision: 'Suspicious' },
    });
    expect(failed).toMatchObject({
      ...{ __typename: 'VerificationFailedEvent', failure: FAILURES.id, kind: 'ID_CHECK', sessionId: ids[1] },
      ...{ accountId: account, account: null, referringSessionId: null },
      verification: { sessionId: ids[1], state: 'FAILED' },
    });
    expect(third).toMatchObject({ failure: FAILURES.face, kind: 'FACE_CHECK' });
    expect(Date.parse(third.createdAt)).toBeGreaterThan(0);
    const resumed = collect(byKey(connect), ENDED, { after: completed.cursor });
    expect((await resumed.until(2)).map(({ sessionId }) => sessionId)).toEqual(ids.slice(1));
  });
});

describe('verificationEnded', () => {
  it('is limited to a kind, an account or a session, including failures', async () => {
    const after = await head();
    const account_id = unique('mine');
    const face = await fail('liveness_check_failed', { account_id });
    const id = await fail('liveness_check_failed', { id: 'true' });
    const done = await succeed({ account_id });
    const sessions = async (variables: Record<string, string>, count: number) =>
      (await collect(byKey(), ENDED, { after, ...variables }).until(count)).map(({ sessionId }) => sessionId);
    expect(await sessions({ kind: 'FACE_CHECK' }, 2)).toEqual([face, done]);
    expect(await sessions({ kind: 'ID_CHECK' }, 1)).toEqual([id]);
    expect(await sessions({ accountId: account_id }, 2)).toEqual([face, done]);
    expect(await sessions({ sessionId: id }, 1)).toEqual([id]);
  });

  it('is readable with a token of the session, without the account, and with a token of the account, and no other', async () => {
    const after = await head();
    const account_id = unique('limited');
    const failed = await fail('liveness_check_failed', { account_id });
    const other = await succeed();
    const ofSession = collect(await byToken({ sessionId: failed }), ENDED_FOR_TOKENS, { after });
    expect(await ofSession.until(1)).toMatchObject([
      { sessionId: failed, accountId: null, failure: FAILURES.face },
    ]);
    expect(ofSession.events[0]!.data).not.toHaveProperty('account_id');
    expect(ofSession.events[0]!.data.metadata.account_id).toBeNull();
    const ofAccount = collect(await byToken({ accountId: account_id }), ENDED_FOR_TOKENS, { after });
    expect(await ofAccount.until(1)).toMatchObject([{ sessionId: failed, accountId: account_id }]);
    const ofOther = collect(await byToken({ sessionId: other }), ENDED_FOR_TOKENS, { after });
    expect((await ofOther.until(1)).map(({ sessionId }) => sessionId)).toEqual([other]);
    expect(ofSession.events).toHaveLength(1);
    expect(ofAccount.events).toHaveLength(1);
  });

  it('does not change verificationCompleted: only completed checks', async () => {
    const after = await head();
    await fail('liveness_check_failed');
    const done = await succeed();
    const seen = collect(
      byKey(),
      'subscription ($after: String) { verificationCompleted(after: $after) { type sessionId cursor } }',
      { after },
    );
    expect(await seen.until(1)).toMatchObject([
      { type: 'VERIFICATION_FACE_CHECK_COMPLETED', sessionId: done },
    ]);
  });

  it('rejects an invalid cursor', async () => {
    const seen = collect(byKey(), ENDED, { after: 'nonsense' });
    await seen.ended;
    expect(seen.errors[0].extensions.code).toBe('input.invalid');
  });
});
