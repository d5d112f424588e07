import { readdir } from 'node:fs/promises';
import path from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Frames } from '../../fixtures/faces/challenge.ts';
import { personFrames } from '../../fixtures/faces/person.ts';
import { astronautPhoto } from '../../fixtures/faces/photo.ts';
import { type Body, type Gateway, startGateway, type TestProject, unique } from '../../support/gateway.ts';
import { photographedPassport } from '../../support/image-checks.ts';
import { upload } from '../../support/media.ts';
import {
  consentAt,
  pagePost,
  pageStatus,
  pageUpload,
  playedVerification,
  refusal,
  verificationLink,
  verifyId,
} from '../../support/verification.ts';

/* A document with unreadable images is captured again in the same session. */
const TIMEOUT = 300_000;
let gateway: Gateway;
let frames: Frames;
let passport: Buffer;
let desk: Buffer;
beforeAll(async () => {
  gateway = await startGateway();
  frames = await personFrames();
  passport = (await photographedPassport(await astronautPhoto())).photo;
  const background = { width: 400, height: 300, channels: 3 as const, background: '#887766' };
  desk = await sharp({ create: background }).jpeg().toBuffer();
}, TIMEOUT);
afterAll(() => gateway.close());

const verificationOf = async (project: TestProject, id: string): Promise<Body> => {
  const query = `query ($id: ID!) { verification(sessionId: $id) {
    state failure decision retake { reason remaining } consentVersion } }`;
  return (await project.graphql(query, { id })).verification;
};

/** A page that has captured a face and shows documents. */
async function page(project: TestProject, query: Record<string, string> = {}) {
  const { sessionId, secret } = await verificationLink(project, { id: 'true', ...query });
  const started = await pagePost(gateway, sessionId, 'start', { secret, consent: consentAt() });
  const { capture_token: token, challenge } = started.body;
  const put = (slot: string, bytes: Uint8Array) =>
    pageUpload(gateway, sessionId, token, { slot, bytes, contentType: 'image/jpeg' });
  const steps = ['center', ...challenge] as (keyof Frames)[];
  for (const [at, step] of steps.entries())
    expect((await put(`face_frame/${at}`, frames[step])).status).toBe(200);
  const complete = (input: Body) => pagePost(gateway, sessionId, 'complete', input, token);
  const facts = {
    document_type: 'passport',
    challenge: steps.map((step, at) => ({ step, frames: [at] })),
    camera: { label: 'Integrated Camera', width: 640, height: 480 },
  };
  return {
    sessionId,
    secret,
    token,
    put,
    complete,
    /** Submits a document; the first time with the page's reading of the face. */
    async show(front: Uint8Array, more: Body = facts): Promise<void> {
      expect((await put('id_front/0', front)).status).toBe(200);
      expect((await complete(more)).status).toBe(200);
      await gateway.app.settleVerifications(project.projectId);
    },
  };
}

/** A card on a desk. */
function loyaltyCard(): Promise<Buffer> {
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="1400" height="1000"><rect width="1400" height="1000" fill="#665544"/>
    <rect x="200" y="190" width="1000" height="630" fill="#f4efe4"/><text x="300" y="400" font-size="70">GARDEN CENTRE</text>
    <text x="300" y="520" font-size="60">TENTH COFFEE FREE</text><text x="300" y="640" font-size="60">THANK YOU</text></svg>`;
  return sharp(Buffer.from(svg)).jpeg().toBuffer();
}

const filesOf = async ({ projectId }: TestProject): Promise<number> => {
  const entries = await readdir(path.join(gateway.mediaDir, projectId), {
    recursive: true,
    withFileTypes: true,
  });
  return entries.filter((entry) => entry.isFile()).length;
};

describe('an unreadable document', { timeout: TIMEOUT }, () => {
  it('is captured again, and the session completes with the face that was captured first', async () => {
    const project = await gateway.project();
    const { sessionId, secret, token, put, complete, show } = await page(project);
    await show(desk);
    const retake = { reason: 'unreadable', remaining: 1 };
    expect(await verificationOf(project, sessionId)).toEqual({
      state: 'CAPTURING',
      failure: null,
      decision: null,
      retake: { reason: 'UNREADABLE', remaining: 1 },
      consentVersion: expect.any(String),
    });
    expect((await verifyId(project, sessionId)).body).toEqual(refusal('session_not_complete'));
    for (const by of [{ token }, { secret }])
      expect((await pageStatus(gateway, sessionId, by)).body).toMatchObject({ state: 'capturing', retake });
    // A reloaded page continues here: the face is on the server, the document is not.
    const resumed = await pagePost(gateway, sessionId, 'start', { secret, consent: consentAt() }, token);
    expect(resumed.body).toMatchObject({ retake, resume: { face_frames: 3, id_front: false } });
    // The replaced image is deleted with its file; the face is unchanged.
    expect(await filesOf(project)).toBe(3);
    expect((await put('face_frame/0', frames.center)).status).toBe(409);
    expect((await complete({})).body.error).toBe('capture_incomplete');
    await show(passport, {});
    const { status, body } = await verifyId(project, sessionId);
    expect(status, JSON.stringify(body)).toBe(200);
    expect(body).toMatchObject({
      decision: 'Real',
      document_data: { template_info: { template_type: 'passport' } },
    });
    expect(await verificationOf(project, sessionId)).toMatchObject({ state: 'COMPLETED', retake: null });
  });

  it('fails the session the third time, whether it shows a card without personal data or nothing', async () => {
    const project = await gateway.project();
    const { sessionId, show } = await page(project);
    for (const [remaining, front] of [
      [1, await loyaltyCard()],
      [0, desk],
    ] as const) {
      await show(front);
      const retake = { reason: 'UNREADABLE', remaining };
      expect(await verificationOf(project, sessionId)).toMatchObject({ state: 'CAPTURING', retake });
      expect((await verifyId(project, sessionId)).body).toEqual(refusal('session_not_complete'));
    }
    await show(desk);
    expect((await verifyId(project, sessionId)).body).toEqual(refusal('id_scan_failed'));
    expect(await verificationOf(project, sessionId)).toMatchObject({ state: 'FAILED', retake: null });
  });

  it('is uploaded again by an app, only to new addresses', async () => {
    const project = await gateway.project();
    const { sessionId } = await verificationLink(project, { id: 'true' });
    const address = async (kind: string, sequence = 0): Promise<Body> => {
      const input = { sessionId, kind, sequence, contentType: 'IMAGE_JPEG' };
      const { body } = await project.rawGraphql(
        'mutation ($input: CreateVerificationUploadInput!) { createVerificationUpload(input: $input) { uploadUrl } }',
        { input },
      );
      return body.errors ? body.errors[0].extensions.code : body.data.createVerificationUpload.uploadUrl;
    };
    const given = consentAt();
    const complete = async (more: Body): Promise<Body> => {
      const consent = { textVersion: given.text_version, givenAt: given.given_at };
      const { completeVerificationCapture } = await project.graphql(
        `mutation ($input: CompleteVerificationCaptureInput!) {
          completeVerificationCapture(input: $input) { state } }`,
        { input: { sessionId, consent, ...more } },
      );
      await gateway.app.settleVerifications(project.projectId);
      return completeVerificationCapture.state;
    };
    const { verification } = await project.graphql(
      'query ($id: ID!) { verification(sessionId: $id) { challenge } }',
      { id: sessionId },
    );
    const steps: string[] = ['CENTER', ...verification.challenge];
    for (const [at, step] of steps.entries()) {
      const bytes = frames[step.toLowerCase() as keyof Frames];
      expect((await upload(await address('FACE_FRAME', at), bytes)).status).toBe(200);
    }
    const earlier = await address('ID_FRONT');
    expect((await upload(earlier, desk)).status).toBe(200);
    const challenge = steps.map((step, at) => ({ step, frames: [at] }));
    expect(await complete({ challenge, documentType: 'PASSPORT' })).toBe('PROCESSING');
    expect((await verificationOf(project, sessionId)).retake).toEqual({ reason: 'UNREADABLE', remaining: 1 });
    expect(await address('FACE_FRAME')).toBe('verification.not_capturing');
    // An upload that started before the images were read is not one of the new images.
    expect((await upload(earlier, passport)).status).toBe(404);
    expect((await upload(await address('ID_FRONT'), passport)).status).toBe(200);
    expect(await complete({})).toBe('PROCESSING');
    expect(await verificationOf(project, sessionId)).toMatchObject({ state: 'COMPLETED', decision: 'REAL' });
  });

  it('is erased with its account while it is captured again', async () => {
    const project = await gateway.project();
    const account = unique('retaken');
    await project.authenticate({ id: account });
    const { sessionId, show } = await page(project, { account_id: account });
    await show(desk);
    expect((await project.rest('DELETE', `/account/${account}`)).status).toBe(200);
    expect((await verifyId(project, sessionId)).body).toEqual(refusal('session_not_found'));
    expect(await filesOf(project)).toBe(0);
  });

  it('is not captured again in a simulated session', async () => {
    const project = await gateway.project();
    const id = await playedVerification(gateway, project, {
      id: 'true',
      simulate: 'failed_to_process_id_scan',
    });
    expect((await verifyId(project, id)).body).toEqual(refusal('id_scan_failed'));
    expect(await verificationOf(project, id)).toMatchObject({ state: 'FAILED', retake: null });
  });
});
