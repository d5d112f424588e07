import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { purgeSeen } from '../../../src/domain/verification/verification-purge-store.ts';
import { type Body, type Gateway, startGateway, TestClock, type TestProject } from '../../support/gateway.ts';
import { noiseImage, setVerificationState, upload, videoBytes } from '../../support/media.ts';
import { purgeRun } from '../../support/purge.ts';
import {
  type Link,
  pagePost,
  pageStatus,
  pageUpload,
  playedVerification,
  startedPage,
  verificationLink,
  verifyFace,
  verifyId,
} from '../../support/verification.ts';

/* Capture by an app: by GraphQL, with a key or with the secret of its session. */
let gateway: Gateway;
let clock: TestClock;
let project: TestProject;
let photo: Buffer;
beforeAll(async () => {
  clock = new TestClock();
  gateway = await startGateway({ clock });
  project = await gateway.project();
  photo = await noiseImage();
});
afterAll(() => gateway.close());

const CREATE =
  'mutation ($input: CreateVerificationUploadInput!) { createVerificationUpload(input: $input) { uploadUrl objectId } }';
const COMPLETE = `mutation ($input: CompleteVerificationCaptureInput!) {
  completeVerificationCapture(input: $input) {
    sessionId state verification { sessionId state consentAt consentVersion decision listNames } } }`;

/** The client: the key of the project, or an app with only the secret of the session. */
const CALLERS = ['a key', 'the secret'] as const;
type Caller = (typeof CALLERS)[number];
const headersOf = (caller: Caller, { secret }: Pick<Link, 'secret'>): Record<string, string> =>
  caller === 'a key' ? {} : { 'x-api-key': '', authorization: `Bearer ${secret}` };

async function ask(query: string, input: Body, headers: Record<string, string> = {}): Promise<Body> {
  const { body } = await project.rawGraphql(query, { input }, headers);
  return body.errors ? { error: body.errors[0].extensions.code, message: body.errors[0].message } : body.data;
}
const place = (sessionId: string, more: Body = {}) => ({
  sessionId,
  kind: 'FACE_FRAME',
  contentType: 'IMAGE_JPEG',
  ...more,
});
const consent = (offset = 0) => ({
  textVersion: 'app-3',
  givenAt: new Date(clock.now().getTime() + offset).toISOString(),
});
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

async function uploadTo(link: Link, more: Body = {}, caller: Caller = 'a key'): Promise<void> {
  const { createVerificationUpload } = await ask(
    CREATE,
    place(link.sessionId, more),
    headersOf(caller, link),
  );
  const { status } = await upload(createVerificationUpload.uploadUrl, photo);
  expect(status).toBe(200);
}
const consentOf = async (id: string): Promise<Body> =>
  (
    await project.graphql('query ($id: ID!) { verification(sessionId: $id) { consentAt consentVersion } }', {
      id,
    })
  ).verification;
const stateOf = async (id: string): Promise<string> =>
  (await project.graphql('query ($id: ID!) { verification(sessionId: $id) { state } }', { id })).verification
    .state;

describe.each(CALLERS)('with %s', (caller) => {
  it('images are uploaded and submitted, and the first one starts the capture', async () => {
    const link = await verificationLink(project, { id: 'true' });
    const headers = headersOf(caller, link);
    const { createVerificationUpload } = await ask(CREATE, place(link.sessionId), headers);
    expect(await stateOf(link.sessionId)).toBe('CAPTURING');
    expect((await verifyId(project, link.sessionId)).body.error).toBe('session_not_complete');
    expect((await upload(createVerificationUpload.uploadUrl, photo)).status).toBe(200);
    expect((await verifyId(project, link.sessionId)).body.error).toBe('id_scan_not_complete');
    const input = { sessionId: link.sessionId, consent: consent() };
    expect((await ask(COMPLETE, input, headers)).error).toBe('verification.capture_incomplete');
    await uploadTo(link, { kind: 'ID_FRONT' }, caller);
    const given = consent(-1000);
    const completed = {
      ...input,
      consent: given,
      documentType: 'PASSPORT',
      camera: { label: 'Back camera', width: 1280, height: 720, frameRate: 30, deviceCount: 2 },
      challenge: [{ step: 'CENTER', frames: [0] }],
    };
    const { completeVerificationCapture } = await ask(COMPLETE, completed, headers);
    expect(completeVerificationCapture).toMatchObject({ sessionId: link.sessionId, state: 'PROCESSING' });
    const noted = { consentAt: given.givenAt, consentVersion: given.textVersion };
    expect(await consentOf(link.sessionId)).toEqual(noted);
    if (caller === 'a key') expect(completeVerificationCapture.verification).toMatchObject(noted);
    // A repetition changes nothing, for any input.
    const again = await ask(COMPLETE, { ...completed, consent: consent() }, headers);
    expect(again.completeVerificationCapture.sessionId).toBe(link.sessionId);
    expect(await consentOf(link.sessionId)).toEqual(noted);
    expect((await ask(CREATE, place(link.sessionId), headers)).error).toBe('verification.not_capturing');
    expect((await upload(createVerificationUpload.uploadUrl, photo)).status).toBe(409);
    await gateway.app.settleVerifications(project.projectId);
    // Noise shows no face.
    expect((await verifyId(project, link.sessionId)).body.error).toBe('liveness_check_failed');
  });

  it.each([
    ['in the future', HOUR],
    ['before the creation of the session', -HOUR],
  ])('consent %s is not accepted', async (_, offset) => {
    const link = await verificationLink(project);
    await uploadTo(link, {}, caller);
    const input = { sessionId: link.sessionId, consent: consent(offset) };
    expect((await ask(COMPLETE, input, headersOf(caller, link))).error).toBe('verification.consent_missing');
    const empty = { ...input, consent: { ...consent(), textVersion: '' } };
    expect((await ask(COMPLETE, empty, headersOf(caller, link))).error).toBe('verification.consent_missing');
    expect(await stateOf(link.sessionId)).toBe('CAPTURING');
  });

  it('consent precedes the first address, with a tolerance of a few minutes between clocks', async () => {
    const link = await verificationLink(project);
    await uploadTo(link, {}, caller);
    clock.advance(HOUR);
    const submitted = (offset: number) =>
      ask(COMPLETE, { sessionId: link.sessionId, consent: consent(offset) }, headersOf(caller, link));
    for (const offset of [0, -HOUR + 11 * MINUTE])
      expect((await submitted(offset)).error).toBe('verification.consent_missing');
    expect((await submitted(-HOUR + 9 * MINUTE)).error).toBeUndefined();
  });

  it('no upload is added to the images of a browser that has started', async () => {
    const link = await verificationLink(project);
    const token = await startedPage(gateway, link, clock.now());
    await pageUpload(gateway, link.sessionId, token, { slot: 'face_frame/0', bytes: photo });
    const headers = headersOf(caller, link);
    const error = 'verification.session_already_started';
    expect((await ask(CREATE, place(link.sessionId), headers)).error).toBe(error);
    const input = { sessionId: link.sessionId, consent: consent() };
    expect((await ask(COMPLETE, input, headers)).error).toBe(error);
    expect(await stateOf(link.sessionId)).toBe('CAPTURING');
    expect((await pagePost(gateway, link.sessionId, 'complete', {}, token)).status).toBe(200);
  });

  it('a submission requires a started capture', async () => {
    const link = await verificationLink(project);
    const input = { sessionId: link.sessionId, consent: consent() };
    expect((await ask(COMPLETE, input, headersOf(caller, link))).error).toBe('verification.not_capturing');
    expect((await ask(COMPLETE, { sessionId: link.sessionId }, headersOf(caller, link))).message).toMatch(
      /consent/,
    );
    expect(await stateOf(link.sessionId)).toBe('CREATED');
  });

  it('an upload requires an existing kind and an accepted type', async () => {
    const link = await verificationLink(project);
    const asked = async (more: Body) =>
      (await ask(CREATE, place(link.sessionId, more), headersOf(caller, link))).error;
    for (const sequence of [-1, 24]) expect(await asked({ sequence })).toBe('input.invalid');
    expect(await asked({ sequence: 23 })).toBeUndefined();
    expect(await asked({ kind: 'ID_FRONT', sequence: 1 })).toBe('input.invalid');
    expect(await asked({ contentType: 'VIDEO_WEBM' })).toBe('input.invalid');
    for (const contentType of ['IMAGE_HEIC', 'image/jpeg', ''])
      expect(await asked({ contentType }), contentType).toBe('graphql.invalid');
    expect(await asked({ kind: 'FACE_CLIP' })).toBe('input.invalid');
    expect(await asked({ kind: 'FACE_CLIP', contentType: 'VIDEO_MP4' })).toBeUndefined();
  });
});

describe('an upload address', () => {
  it('accepts the announced bytes, and replaces stored ones', async () => {
    const link = await verificationLink(project);
    const first = (await ask(CREATE, place(link.sessionId))).createVerificationUpload;
    expect((await upload(first.uploadUrl, videoBytes(), 'video/webm')).status).toBe(415);
    expect((await upload(first.uploadUrl, photo, 'image/png')).status).toBe(415);
    expect((await upload(first.uploadUrl, photo)).status).toBe(200);
    const second = (await ask(CREATE, place(link.sessionId))).createVerificationUpload;
    expect(second.objectId).toBe(first.objectId);
    expect((await upload(second.uploadUrl, photo)).status).toBe(200);
    // Another type creates another object.
    const png = (await ask(CREATE, place(link.sessionId, { contentType: 'IMAGE_PNG' })))
      .createVerificationUpload;
    expect((await upload(png.uploadUrl, await noiseImage(64, 'png'), 'image/png')).status).toBe(200);
    expect((await upload(first.uploadUrl, photo)).status).toBe(404);
  });

  it('expires after an hour', async () => {
    const link = await verificationLink(project);
    const { uploadUrl } = (await ask(CREATE, place(link.sessionId))).createVerificationUpload;
    clock.advance(HOUR + 1000);
    expect((await upload(uploadUrl, photo)).status).toBe(404);
  });
});

describe('the secret of a session', () => {
  it('gives access only to its own session', async () => {
    const [link, other] = [await verificationLink(project), await verificationLink(project)];
    const stranger = await gateway.project();
    const foreign = await verificationLink(stranger);
    const headers = headersOf('the secret', other);
    const input = { sessionId: link.sessionId, consent: consent() };
    expect((await ask(CREATE, place(link.sessionId), headers)).error).toBe('verification.session_not_found');
    expect((await ask(COMPLETE, input, headers)).error).toBe('verification.session_not_found');
    expect((await ask(CREATE, place(link.sessionId), headersOf('the secret', foreign))).error).toBe(
      'verification.session_not_found',
    );
    expect(await stateOf(link.sessionId)).toBe('CREATED');
    const own = headersOf('the secret', link);
    for (const query of [
      `{ verification(sessionId: "${link.sessionId}") { state } }`,
      '{ accounts { edges { node { id } } } }',
      '{ lists { edges { node { name } } } }',
      `{ identityMatch(sessionId: "${link.sessionId}", accountId: "any") { match } }`,
      'mutation { createVerificationSession(input: { kind: FACE_CHECK }) { sessionId } }',
    ]) {
      const { body } = await project.rawGraphql(query, {}, own);
      expect(body.errors[0].extensions.code, query).toBe('auth.forbidden');
    }
    for (const [method, path] of [
      ['GET', `/session/${link.sessionId}`],
      ['GET', '/liveness/session'],
    ] as const)
      expect([401, 403]).toContain((await project.rest(method, path, undefined, own)).status);
  });

  it('does not give access to the result', async () => {
    const over = await completedForApp();
    const input = { sessionId: over.sessionId, consent: consent() };
    const shown = await ask(COMPLETE, input, headersOf('the secret', over));
    expect(shown.completeVerificationCapture).toEqual({
      sessionId: over.sessionId,
      state: 'COMPLETED',
      verification: null,
    });
    const known = await ask(COMPLETE, input);
    expect(known.completeVerificationCapture.verification).toMatchObject({ decision: 'REAL', listNames: [] });
  });

  it('is rejected as a key when it is invalid', async () => {
    const { sessionId, secret } = await verificationLink(project);
    const wrong = `${secret.slice(0, -1)}${secret.endsWith('a') ? 'b' : 'a'}`;
    for (const token of [wrong, 'nonsense', 'vgv_00000000000040008000000000000000_x']) {
      const { status } = await project.rawGraphql(
        CREATE,
        { input: place(sessionId) },
        headersOf('the secret', { secret: token }),
      );
      expect(status).toBe(401);
    }
    expect(await stateOf(sessionId)).toBe('CREATED');
  });

  it('is not needed with a key of the role server, and not replaced by one of the role read', async () => {
    const { sessionId } = await verificationLink(project);
    const { key } = await gateway.app.projects.createKey(project.projectId, 'read');
    const { body } = await project.withKey(key).rawGraphql(CREATE, { input: place(sessionId) });
    expect(body.errors[0].extensions.code).toBe('auth.forbidden');
    const server = await gateway.app.projects.createKey(project.projectId, 'server');
    const made = await project.withKey(server.key).graphql(CREATE, { input: place(sessionId) });
    expect(made.createVerificationUpload.uploadUrl).toMatch(/^http/);
  });
});

/** A completed session: the readable fields are those of any other. */
async function completedForApp(): Promise<Link> {
  const link = await verificationLink(project, { simulate: 'success', simulate_decision: 'Real' });
  await (await fetch(link.url)).text();
  await gateway.app.settleVerifications(project.projectId);
  return link;
}

describe('the session of an app', () => {
  const signalsOf = async (userAgent: string) => {
    const link = await verificationLink(project);
    const headers = { ...headersOf('the secret', link), 'user-agent': userAgent };
    expect((await ask(CREATE, place(link.sessionId), headers)).createVerificationUpload).toBeDefined();
    const { body } = await project.rest('GET', `/session/${link.sessionId}`);
    return { risk: body.risk_signals.device_risk, codes: body.risk_signal_details.device };
  };

  it.each(['okhttp/4.12.0', 'CFNetwork/1494.0.7 Darwin/23.4.0', 'Dart/3.3 (dart:io)'])(
    'has no lower score for the HTTP library of the app: %s',
    async (userAgent) => {
      expect(await signalsOf(userAgent)).toEqual({ risk: false, codes: [] });
    },
  );

  it('from a program on a computer is reported as one', async () => {
    const { codes } = await signalsOf('python-requests/2.31.0');
    expect(codes.map(({ code }: Body) => code)).toContain('declared_bot_user_agent');
  });
});

describe('a session accepts no images', () => {
  it('when its outcome is simulated', async () => {
    const link = await verificationLink(project, { simulate: 'success' });
    const error = 'verification.session_not_valid_for_this_endpoint';
    expect((await ask(CREATE, place(link.sessionId))).error).toBe(error);
    expect((await ask(COMPLETE, { sessionId: link.sessionId, consent: consent() })).error).toBe(
      'verification.not_capturing',
    );
    const over = await playedVerification(gateway, project, { simulate: 'success' });
    expect((await ask(CREATE, place(over))).error).toBe(error);
  });

  it('when it was not started within 24 hours', async () => {
    const link = await verificationLink(project);
    clock.advance(24 * HOUR);
    expect((await ask(CREATE, place(link.sessionId))).error).toBe('verification.not_capturing');
    expect(await stateOf(link.sessionId)).toBe('EXPIRED');
    expect((await verifyFace(project, link.sessionId)).body.error).toBe(
      'session_not_valid_for_this_endpoint',
    );
  });

  it('when its capture was started 24 hours ago', async () => {
    const link = await verificationLink(project);
    const browser = await verificationLink(project);
    await uploadTo(link);
    const { uploadUrl } = (await ask(CREATE, place(link.sessionId))).createVerificationUpload;
    const token = await startedPage(gateway, browser, clock.now());
    await pageUpload(gateway, browser.sessionId, token, { slot: 'face_frame/0', bytes: photo });
    const found = async (state: string) =>
      (
        await project.graphql(
          'query ($state: VerificationState) { verifications(filter: { state: $state }, first: 100) { edges { node { sessionId } } } }',
          { state },
        )
      ).verifications.edges.map(({ node }: Body) => node.sessionId);
    expect(await found('CAPTURING')).toEqual(expect.arrayContaining([link.sessionId, browser.sessionId]));
    expect(await found('EXPIRED')).not.toContain(link.sessionId);
    const begun = consent();
    clock.advance(24 * HOUR);
    expect(await stateOf(link.sessionId)).toBe('EXPIRED');
    expect(await found('CAPTURING')).not.toContain(link.sessionId);
    expect(await found('EXPIRED')).toEqual(expect.arrayContaining([link.sessionId, browser.sessionId]));
    const over = 'verification.not_capturing';
    expect((await ask(CREATE, place(link.sessionId))).error).toBe(over);
    expect((await ask(COMPLETE, { sessionId: link.sessionId, consent: begun })).error).toBe(over);
    // The address itself has expired too; a slightly younger address has not.
    expect((await upload(uploadUrl, photo)).status).toBe(404);
    const slot = { slot: 'face_frame/1', bytes: photo };
    expect((await pageUpload(gateway, browser.sessionId, token, slot)).status).toBe(409);
    expect((await pagePost(gateway, browser.sessionId, 'complete', {}, token)).status).toBe(409);
    expect((await pagePost(gateway, browser.sessionId, 'handover', {}, token)).status).toBe(409);
    expect((await pagePost(gateway, browser.sessionId, 'start', {}, token)).body.error).toBe(
      'session_not_valid_for_this_endpoint',
    );
    expect((await pageStatus(gateway, browser.sessionId, { token })).body.state).toBe('expired');
    expect((await verifyFace(project, link.sessionId)).body.error).toBe(
      'session_not_valid_for_this_endpoint',
    );
  });

  it('after 31 days, when it is deleted with its images unless it has a result', async () => {
    const result = await completedForApp();
    const [never, begun] = [await verificationLink(project), await verificationLink(project)];
    await uploadTo(begun);
    const kept = async (link: Link) =>
      (
        await project.graphql('query ($id: ID!) { verification(sessionId: $id) { state } }', {
          id: link.sessionId,
        })
      ).verification !== null;
    const days = (count: number) => new Date(clock.now().getTime() + count * 24 * HOUR);
    await purgeSeen(purgeRun(gateway, days(30.9)));
    expect(await Promise.all([result, never, begun].map(kept))).toEqual([true, true, true]);
    await purgeSeen(purgeRun(gateway, days(31.1)));
    expect(await Promise.all([result, never, begun].map(kept))).toEqual([true, false, false]);
    const left = {
      name: 'test.media_left',
      text: `select state from media_objects where project_id = $1 and session_id = $2`,
    };
    const { system } = gateway.app.database;
    expect(await system.query(left, [project.projectId, begun.sessionId])).toEqual([{ state: 'gone' }]);
    await gateway.app.purgeMedia();
    expect(await system.query(left, [project.projectId, begun.sessionId])).toEqual([]);
  });

  it.each(['processing', 'completed', 'failed'])('when it is %s', async (state) => {
    const link = await verificationLink(project);
    await setVerificationState(gateway, project, link.sessionId, state);
    expect((await ask(CREATE, place(link.sessionId))).error).toBe('verification.not_capturing');
  });
});
