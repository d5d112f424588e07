import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { type Body, type Gateway, startGateway, TestClock, type TestProject } from '../../support/gateway.ts';
import { noiseImage, videoBytes } from '../../support/media.ts';
import {
  CONSENT_VERSION,
  consentAt,
  pagePost,
  pageStatus,
  pageUpload,
  startedPage,
  verificationLink,
  verifyFace,
  verifyId,
} from '../../support/verification.ts';

/* Capture by the hosted page: one browser at a time, which holds a token. */
let gateway: Gateway;
let project: TestProject;
let photo: Buffer;
beforeAll(async () => {
  gateway = await startGateway();
  project = await gateway.project();
  photo = await noiseImage();
});
afterAll(() => gateway.close());

const refused = (status: number, error: string) => ({
  status,
  body: { success: false, error, code: expect.any(String) },
});
const stored = async (id: string): Promise<Body> =>
  (
    await project.graphql(
      'query ($id: ID!) { verification(sessionId: $id) { state failure consentAt consentVersion startedAt } }',
      { id },
    )
  ).verification;
const MINUTE = 60_000;

describe('the start of a capture', () => {
  it.each([
    ['none', undefined],
    ['a word', 'yes'],
    ['without a version', { given_at: new Date().toISOString() }],
    ['with an empty version', { text_version: '', given_at: new Date().toISOString() }],
    ['without a time', { text_version: '1' }],
    ['with an invalid time', { text_version: '1', given_at: 'yesterday' }],
    ['tomorrow', consentAt(new Date(Date.now() + 24 * 60 * MINUTE))],
    ['before the creation of the session', consentAt(new Date(Date.now() - 60 * MINUTE))],
  ])('requires consent: %s is not accepted', async (_, consent) => {
    const { sessionId, secret } = await verificationLink(project);
    const answer = await pagePost(gateway, sessionId, 'start', { secret, consent });
    expect(answer).toMatchObject(refused(400, 'consent_missing'));
    expect(await stored(sessionId)).toMatchObject({
      state: 'CREATED',
      consentAt: null,
      consentVersion: null,
    });
  });

  it('records the consent, and returns the data for the next step', async () => {
    const link = await verificationLink(project, { id: 'true' });
    const consent = consentAt();
    const { status, body } = await pagePost(gateway, link.sessionId, 'start', {
      secret: link.secret,
      consent,
      language: 'de',
    });
    expect(status).toBe(200);
    expect(body).toEqual({
      request_id: expect.any(String),
      capture_token: expect.stringMatching(/^\w{40,}$/),
      kind: 'id',
      challenge: expect.arrayContaining(['left', 'right']),
      language: 'de',
      project_id: project.projectId,
      session_token: expect.any(String),
      upload: { max_bytes: 12 * 1024 * 1024 },
      resume: { face_frames: 0, face_clip: false, id_front: false, id_back: false },
    });
    expect(await stored(link.sessionId)).toMatchObject({
      state: 'CAPTURING',
      consentAt: consent.given_at,
      consentVersion: CONSENT_VERSION,
    });
    const facts = await project.rest(
      'PATCH',
      `/session/${link.sessionId}`,
      { device: { cpu_cores: 4 } },
      { 'x-api-key': '', authorization: `Bearer ${body.session_token}` },
    );
    expect(facts.status, facts.text).toBe(200);
  });

  it('from a second browser is rejected, and the first continues', async () => {
    const link = await verificationLink(project);
    const { sessionId, secret } = link;
    const token = await startedPage(gateway, link);
    await pageUpload(gateway, sessionId, token, { slot: 'face_frame/0', bytes: photo });
    const again = { secret, consent: consentAt() };
    expect(await pagePost(gateway, sessionId, 'start', again)).toMatchObject(
      refused(409, 'session_already_started'),
    );
    expect(await pagePost(gateway, sessionId, 'start', again, 'wrong')).toMatchObject(
      refused(409, 'session_already_started'),
    );
    const resumed = await pagePost(gateway, sessionId, 'start', again, token);
    expect(resumed.status).toBe(200);
    expect(resumed.body).toMatchObject({ capture_token: token, resume: { face_frames: 1 } });
  });

  it('by several browsers concurrently succeeds for one of them', async () => {
    const { sessionId, secret } = await verificationLink(project);
    const input = { secret, consent: consentAt() };
    const answers = await Promise.all(
      Array.from({ length: 6 }, () => pagePost(gateway, sessionId, 'start', input)),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409, 409]);
    const tokens = answers.flatMap(({ body }) => body.capture_token ?? []);
    expect((await pageStatus(gateway, sessionId, { token: tokens[0] })).body.state).toBe('capturing');
  });
});

/** A capture whose browser has offered a handover. */
async function offeredHandover() {
  const link = await verificationLink(project);
  const first = await startedPage(gateway, link);
  const { body } = await pagePost(gateway, link.sessionId, 'handover', {}, first);
  return { link, sessionId: link.sessionId, first, secret: new URL(body.url).searchParams.get('s')! };
}

describe('a handover', () => {
  it('moves the capture to another device, once, and ends it on the first', async () => {
    const link = await verificationLink(project);
    const { sessionId } = link;
    const first = await startedPage(gateway, link);
    await pageUpload(gateway, sessionId, first, { slot: 'face_frame/0', bytes: photo });
    const { status, body } = await pagePost(gateway, sessionId, 'handover', {}, first);
    expect(status).toBe(200);
    const secret = new URL(body.url).searchParams.get('s')!;
    expect(new URL(body.url).pathname).toBe(`/verify/${sessionId}`);
    // The first browser continues until the link is opened.
    expect((await pageStatus(gateway, sessionId, { token: first })).status).toBe(200);
    const moved = await pagePost(gateway, sessionId, 'start', { secret, consent: consentAt() });
    expect(moved.status).toBe(200);
    expect(moved.body.resume.face_frames).toBe(1);
    const second = moved.body.capture_token;
    expect(second).not.toBe(first);
    const late = await pageUpload(gateway, sessionId, first, { slot: 'face_frame/1', bytes: photo });
    expect(late).toMatchObject(refused(400, 'session_not_found'));
    expect(await pagePost(gateway, sessionId, 'complete', {}, first)).toMatchObject(
      refused(400, 'session_not_found'),
    );
    expect(await pagePost(gateway, sessionId, 'start', { secret, consent: consentAt() })).toMatchObject(
      refused(409, 'session_already_started'),
    );
    const upload = await pageUpload(gateway, sessionId, second, { slot: 'face_frame/1', bytes: photo });
    expect(upload.status).toBe(200);
  });

  it('opens the page of the other device, and reports that another device has used it', async () => {
    const { sessionId, first, secret } = await offeredHandover();
    const open = () => pagePost(gateway, sessionId, 'open', { secret });
    expect(await open()).toMatchObject({
      status: 200,
      body: { state: 'capturing', handover: 'offered', redirect_url: '' },
    });
    // The secret of a handover reads no state, uploads nothing and offers no handover.
    for (const answer of [
      await pageStatus(gateway, sessionId, { secret }),
      await pageStatus(gateway, sessionId, { token: secret }),
      await pagePost(gateway, sessionId, 'handover', {}, secret),
      await pageUpload(gateway, sessionId, secret, { slot: 'face_frame/0', bytes: photo }),
    ])
      expect(answer).toMatchObject(refused(400, 'session_not_found'));
    for (const wrong of [`${secret}x`, secret.slice(1), first])
      expect(await pagePost(gateway, sessionId, 'open', { secret: wrong })).toMatchObject(
        refused(400, 'session_not_found'),
      );
    const { body } = await pagePost(gateway, sessionId, 'start', { secret, consent: consentAt() });
    expect(await open()).toMatchObject(refused(409, 'session_already_started'));
    await pagePost(
      gateway,
      sessionId,
      'fail',
      { reason: 'failed_to_complete_face_scan' },
      body.capture_token,
    );
    for (const action of ['open', 'start'] as const)
      expect(await pagePost(gateway, sessionId, action, { secret, consent: consentAt() })).toMatchObject(
        refused(409, 'session_not_valid_for_this_endpoint'),
      );
  });

  it('is used by one of several devices at the same moment', async () => {
    const { sessionId, secret } = await offeredHandover();
    const answers = await Promise.all(
      Array.from({ length: 6 }, () =>
        pagePost(gateway, sessionId, 'start', { secret, consent: consentAt() }),
      ),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409, 409, 409, 409]);
  });

  it('shows its use to the device that offered it', async () => {
    const { sessionId, first, link, secret } = await offeredHandover();
    const handover = async (as: Parameters<typeof pageStatus>[2]) =>
      (await pageStatus(gateway, sessionId, as)).body.handover;
    expect(await handover({ token: first })).toBe('offered');
    await pagePost(gateway, sessionId, 'start', { secret, consent: consentAt() });
    expect(await pageStatus(gateway, sessionId, { token: first })).toMatchObject(
      refused(400, 'session_not_found'),
    );
    expect(await handover({ secret: link.secret })).toBe('used');
  });

  it('is replaced by a later one', async () => {
    const { sessionId, first, secret } = await offeredHandover();
    const { body } = await pagePost(gateway, sessionId, 'handover', {}, first);
    expect(await pagePost(gateway, sessionId, 'open', { secret })).toMatchObject(
      refused(400, 'session_not_found'),
    );
    const later = new URL(body.url).searchParams.get('s')!;
    expect((await pagePost(gateway, sessionId, 'open', { secret: later })).status).toBe(200);
  });

  it('expires after 30 minutes, and the first device can offer another', async () => {
    const clock = new TestClock();
    const timed = await startGateway({ clock });
    onTestFinished(() => timed.close());
    const owner = await timed.project();
    const link = await verificationLink(owner);
    const first = await startedPage(timed, link, clock.now());
    const { body } = await pagePost(timed, link.sessionId, 'handover', {}, first);
    const secret = new URL(body.url).searchParams.get('s')!;
    clock.advance(30 * MINUTE);
    for (const action of ['open', 'start'] as const)
      expect(
        await pagePost(timed, link.sessionId, action, { secret, consent: consentAt(clock.now()) }),
      ).toMatchObject(refused(409, 'session_not_valid_for_this_endpoint'));
    expect((await pageStatus(timed, link.sessionId, { token: first })).body.handover).toBe('expired');
    const again = await pagePost(timed, link.sessionId, 'handover', {}, first);
    const later = new URL(again.body.url).searchParams.get('s')!;
    expect((await pagePost(timed, link.sessionId, 'open', { secret: later })).status).toBe(200);
  });

  it('requires more than the link', async () => {
    const link = await verificationLink(project);
    await startedPage(gateway, link);
    for (const token of ['', link.secret, 'wrong'])
      expect(await pagePost(gateway, link.sessionId, 'handover', {}, token)).toMatchObject(
        refused(400, 'session_not_found'),
      );
  });
});

describe('canceling a check', () => {
  it.each([
    ['failed_to_get_camera_permission', 'session_not_complete'],
    ['failed_to_complete_face_scan', 'liveness_check_failed'],
    ['failed_to_process_id_scan', 'id_scan_failed'],
    ['failed_to_collect_device_data', 'session_not_complete'],
  ])('with %s fails the session, and emits one event', async (reason, error) => {
    const link = await verificationLink(project, { id: 'true', redirect_url: 'https://shop.example/' });
    const { sessionId } = link;
    const token = await startedPage(gateway, link);
    const answers = [
      await pagePost(gateway, sessionId, 'fail', { reason }, token),
      await pagePost(gateway, sessionId, 'fail', { reason: 'failed_to_collect_device_data' }, token),
    ];
    for (const { status, body } of answers) {
      expect(status).toBe(200);
      expect(body).toMatchObject({
        state: 'failed',
        success: false,
        error_message: reason,
        redirect_url: `https://shop.example/?session_id=${sessionId}&success=false&error_message=${reason}`,
      });
    }
    expect((await verifyId(project, sessionId)).body.error).toBe(error);
    await gateway.app.settleEvents();
    const { events } = await project.graphql(
      'query ($id: ID) { events(sessionId: $id, types: [VERIFICATION_FAILED]) { edges { node { data } } } }',
      { id: sessionId },
    );
    expect(events.edges.map(({ node }: Body) => node.data.error_message)).toEqual([reason]);
  });

  it.each(['liveness_check_failed', 'invalid_session_id', 'because', undefined])(
    'with %s is rejected from a page',
    async (reason) => {
      const link = await verificationLink(project);
      const token = await startedPage(gateway, link);
      expect((await pagePost(gateway, link.sessionId, 'fail', { reason }, token)).status).toBe(400);
      expect((await stored(link.sessionId)).state).toBe('CAPTURING');
    },
  );
});

describe('an upload', () => {
  const svg = Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>');
  const heic = Buffer.from('\0\0\0\x18ftypheic\0\0\0\0mif1heic', 'latin1');
  const lyingPng = Buffer.concat([Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'), randomBytes(500)]);

  it.each([
    ['nothing', Buffer.alloc(0), 'image/png', 400],
    ['text', Buffer.from('hello'), 'image/jpeg', 415],
    ['HEIC', heic, 'image/heic', 400],
    ['HEIC declared as JPEG', heic, 'image/jpeg', 415],
    ['SVG', svg, 'image/svg+xml', 400],
    ['SVG declared as PNG', svg, 'image/png', 415],
    ['a PNG only in its first bytes', lyingPng, 'image/png', 400],
    ['a video in place of an image', videoBytes(), 'video/webm', 400],
    ['an unknown type', Buffer.from('x'), '', 400],
  ])('of %s is rejected, and nothing is stored', async (_, bytes, contentType, status) => {
    const link = await verificationLink(project, { id: 'true' });
    const token = await startedPage(gateway, link);
    const answer = await pageUpload(gateway, link.sessionId, token, {
      slot: 'id_front/0',
      bytes,
      contentType,
    });
    expect(answer.status, JSON.stringify(answer.body)).toBe(status);
    expect(answer.body).toEqual({ success: false, error: expect.any(String), code: expect.any(String) });
    const { resume } = (await pagePost(gateway, link.sessionId, 'start', {}, token)).body;
    expect(resume).toEqual({ face_frames: 0, face_clip: false, id_front: false, id_back: false });
  });

  it('of 13 MB is rejected as too large', async () => {
    const link = await verificationLink(project);
    const token = await startedPage(gateway, link);
    const bytes = videoBytes(13 * 1024 * 1024);
    const answer = await pageUpload(gateway, link.sessionId, token, {
      slot: 'face_clip/0',
      bytes,
      contentType: 'video/webm',
    });
    expect(answer.status).toBe(413);
  });

  it('has a limit per kind: 24 frames, one video, one front, one back', async () => {
    const link = await verificationLink(project, { id: 'true' });
    const token = await startedPage(gateway, link);
    const put = async (slot: string, bytes = photo, contentType = 'image/jpeg') =>
      (await pageUpload(gateway, link.sessionId, token, { slot, bytes, contentType })).status;
    expect(await put('face_frame/23')).toBe(200);
    expect(await put('face_frame/24')).toBe(400);
    expect(await put('face_frame/100')).toBe(404);
    expect(await put('face_frame/-1')).toBe(404);
    expect(await put('id_front/1')).toBe(400);
    expect(await put('portrait/0')).toBe(404);
    expect(await put('face_clip/0', videoBytes(), 'video/webm')).toBe(200);
    expect(await put('face_clip/0', photo)).toBe(400);
    const { resume } = (await pagePost(gateway, link.sessionId, 'start', {}, token)).body;
    expect(resume).toEqual({ face_frames: 1, face_clip: true, id_front: false, id_back: false });
  });

  it('requires the token of its session: without it, with the secret of the link or the token of another session it is rejected', async () => {
    const link = await verificationLink(project);
    await startedPage(gateway, link);
    const other = await startedPage(gateway, await verificationLink(project));
    for (const token of ['', link.secret, other])
      expect(
        await pageUpload(gateway, link.sessionId, token, { slot: 'face_frame/0', bytes: photo }),
      ).toMatchObject(refused(400, 'session_not_found'));
  });
});

describe('the end of a capture', () => {
  it('requires its images, and lists the missing ones', async () => {
    const link = await verificationLink(project, { id: 'true' });
    const { sessionId } = link;
    const token = await startedPage(gateway, link);
    const complete = () => pagePost(gateway, sessionId, 'complete', {}, token);
    expect(await complete()).toMatchObject(refused(400, 'capture_incomplete'));
    expect((await verifyId(project, sessionId)).body.error).toBe('session_not_complete');
    await pageUpload(gateway, sessionId, token, { slot: 'face_frame/0', bytes: photo });
    expect(await complete()).toMatchObject(refused(400, 'capture_incomplete'));
    expect((await verifyId(project, sessionId)).body.error).toBe('id_scan_not_complete');
    expect((await stored(sessionId)).state).toBe('CAPTURING');
  });

  it.each([
    { challenge: [{ step: 'up', frames: [0] }] },
    { challenge: [{ step: 'left', frames: [24] }] },
    { challenge: 'left' },
    { document_type: 'library card' },
    { camera: { label: 'x'.repeat(201) } },
  ])('is rejected with invalid input: %j', async (input) => {
    const link = await verificationLink(project);
    const token = await startedPage(gateway, link);
    await pageUpload(gateway, link.sessionId, token, { slot: 'face_frame/0', bytes: photo });
    expect((await pagePost(gateway, link.sessionId, 'complete', input, token)).status).toBe(400);
    expect((await stored(link.sessionId)).state).toBe('CAPTURING');
  });

  it('succeeds once, also when it is sent twice concurrently; later uploads are rejected', async () => {
    const link = await verificationLink(project);
    const { sessionId } = link;
    const token = await startedPage(gateway, link);
    await pageUpload(gateway, sessionId, token, { slot: 'face_frame/0', bytes: photo });
    const complete = () => pagePost(gateway, sessionId, 'complete', {}, token);
    const answers = await Promise.all([complete(), complete()]);
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    expect(await pageUpload(gateway, sessionId, token, { slot: 'face_frame/1', bytes: photo })).toMatchObject(
      refused(409, 'not_capturing'),
    );
    await gateway.app.settleVerifications(project.projectId);
    // Noise shows no face.
    expect((await verifyFace(project, sessionId)).body.error).toBe('liveness_check_failed');
    expect((await complete()).status).toBe(200);
    expect(await stored(sessionId)).toMatchObject({
      state: 'FAILED',
      failure: 'FAILED_TO_COMPLETE_FACE_SCAN',
    });
    await gateway.app.settleEvents();
    const { events } = await project.graphql(
      'query ($id: ID) { events(sessionId: $id, first: 100) { edges { node { type } } } }',
      { id: sessionId },
    );
    expect(events.edges.map(({ node }: Body) => node.type)).toHaveLength(1);
    const dead = await pagePost(gateway, sessionId, 'start', { secret: link.secret, consent: consentAt() });
    expect(dead.status).toBe(409);
  });
});
