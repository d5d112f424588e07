import { createHash } from 'node:crypto';
import { makePassport } from '../fixtures/documents/passport.ts';
import { randomPerson } from '../fixtures/documents/person.ts';
import { type PhotoOptions, photograph } from '../fixtures/documents/photograph.ts';
import { seededRandom } from '../fixtures/documents/random.ts';
import { renderDocument } from '../fixtures/documents/render.ts';
import type { Specimen } from '../fixtures/documents/specimen.ts';
import { drawnOnce } from '../fixtures/drawn-once.ts';
import type { Frames } from '../fixtures/faces/challenge.ts';
import type { Body, Gateway, TestProject } from './gateway.ts';
import { videoBytes } from './media.ts';
import { consentAt, pagePost, pageUpload, verificationLink } from './verification.ts';

/* Sessions with captured images: reading each takes some seconds. */

export type Shown = {
  frames: Frames;
  /** The front of a document makes it an ID check. */
  front?: Uint8Array;
  query?: Record<string, string>;
  /** The default address without one. */
  camera?: Body;
  /** Time of consent; now by default. */
  at?: Date;
};

/** Runs the page up to its end, like a browser; the images then wait to be read. */
export async function capture(
  gateway: Gateway,
  project: TestProject,
  { frames, front, query = {}, camera, at }: Shown,
): Promise<string> {
  const link = await verificationLink(project, { ...(front ? { id: 'true' } : {}), ...query });
  const { sessionId, secret } = link;
  const started = await pagePost(gateway, sessionId, 'start', { secret, consent: consentAt(at) });
  if (started.status !== 200) throw new Error(`${started.status} ${started.text}`);
  const { capture_token: token, challenge } = started.body as { capture_token: string; challenge: string[] };
  const steps = ['center', ...challenge] as (keyof Frames)[];
  const put = async (slot: string, bytes: Uint8Array, contentType = 'image/jpeg') => {
    const { status, body } = await pageUpload(gateway, sessionId, token, { slot, bytes, contentType });
    if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`);
  };
  for (const [at, step] of steps.entries()) await put(`face_frame/${at}`, frames[step]);
  await put('face_clip/0', videoBytes(), 'video/webm');
  if (front) await put('id_front/0', front);
  const input = {
    challenge: steps.map((step, at) => ({ step, frames: [at] })),
    camera: camera ?? { label: 'Integrated Camera', width: 640, height: 480 },
    ...(front ? { document_type: 'passport' } : {}),
  };
  const submitted = await pagePost(gateway, sessionId, 'complete', input, token);
  if (submitted.status !== 200) throw new Error(`${submitted.status} ${submitted.text}`);
  return sessionId;
}

/** The same, and waits until they were read. */
export async function captured(gateway: Gateway, project: TestProject, shown: Shown): Promise<string> {
  const sessionId = await capture(gateway, project, shown);
  await gateway.app.settleVerifications(project.projectId);
  return sessionId;
}

/** An invented passport with a portrait, and a photograph of it. */
export async function photographedPassport(
  portrait: Uint8Array,
  { seed = 31, ...options }: PhotoOptions & { seed?: number } = {},
): Promise<{ document: Specimen; photo: Buffer }> {
  const random = seededRandom(seed);
  const document = makePassport(randomPerson(random, { country: 'GBR' }), { random, portrait });
  const drawing = createHash('sha256')
    .update(portrait)
    .update(JSON.stringify({ seed, ...options }));
  const photo = await drawnOnce(`passport-${drawing.digest('hex')}`, async () =>
    photograph(await renderDocument(document, { side: 'front' }), {
      random: seededRandom(seed + 1),
      ...options,
    }),
  );
  return { document, photo };
}
