import * as tf from '@tensorflow/tfjs';
import { once } from '@vouchgraph/platform/once';
import { type ChallengeStep, type FaceTask, faceDistance, RECAPTURE_LIMITS } from '@vouchgraph/vision';
import { verificationDistance } from '@vouchgraph/vision/face-thresholds';
import { checkImage, type RgbImage } from '@vouchgraph/vision/image-check';
import { describePortrait } from '@vouchgraph/vision/internals/faces/describe-portrait';
import { DESCRIPTOR_LENGTH } from '@vouchgraph/vision/internals/faces/face-pipeline';
import { readFaces } from '@vouchgraph/vision/internals/faces/read-faces';
import sharp from 'sharp';
import { beforeAll, describe, expect, it } from 'vitest';
import { challengeTask, type Frames, headFrames, sharedFrame } from '../../fixtures/faces/challenge.ts';
import { blurred, empty, movedAside, sideways, twoFaces } from '../../fixtures/faces/effects.ts';
import { personFrames, printFrames } from '../../fixtures/faces/person.ts';
import { astronautPhoto, cameraFrame, fromSharp, toJpeg, toSharp } from '../../fixtures/faces/photo.ts';
import { photographedPrint, photographedScreen } from '../../fixtures/faces/recapture.ts';

const TIMEOUT = 120_000;

let face: RgbImage;
let head: Frames;

beforeAll(async () => {
  face = await cameraFrame();
  head = await personFrames();
}, TIMEOUT);

const still = (bytes: Uint8Array): FaceTask => ({
  frames: [{ bytes, step: 'center' }],
  challenge: [],
  anyOrder: false,
});

/** The frontal frame alone. */
const frontal = once(() => readFaces(still(head.center)));
const portraitOfPhoto = once(async () => (await describePortrait(await astronautPhoto()))!);

describe('a challenge', { timeout: TIMEOUT }, () => {
  it('is passed by a head that turns as requested', async () => {
    const reading = await readFaces(challengeTask(head, ['left', 'right']));
    expect(reading.problem).toBeNull();
    expect(reading.challenge.map(({ step, isPassed }) => [step, isPassed])).toEqual([
      ['left', true],
      ['right', true],
    ]);
    expect(reading.challenge[0]!.asymmetryChange).toBeGreaterThan(0.25);
    expect(reading.challenge[1]!.asymmetryChange).toBeLessThan(-0.25);
    expect(reading).toMatchObject({ bestFrame: 0, descriptor: expect.any(Float32Array) });
    expect(reading.descriptor).toHaveLength(DESCRIPTOR_LENGTH);
    expect(reading.ageYears).toBeGreaterThan(20);
    expect(reading.ageYears).toBeLessThan(50);
    expect(await checkImage(reading.portrait!)).toMatchObject({ ok: true, contentType: 'image/jpeg' });
    expect(Object.keys(reading.timings)).toEqual(expect.arrayContaining(['decode', 'mesh', 'describe']));
  });

  it('is failed by a print that is turned', async () => {
    const reading = await readFaces(challengeTask(await printFrames(), ['left', 'right']));
    expect(reading.problem).toBe('challenge_failed');
    expect(reading.challenge.map(({ isPassed }) => isPassed)).toEqual([false, false]);
    expect(reading.descriptor).not.toBeNull();
  });

  it('is failed by turns to the other side', async () => {
    const reading = await readFaces(challengeTask(head, ['left', 'right'], ['right', 'left']));
    expect(reading.problem).toBe('challenge_failed');
    expect(reading.challenge.map(({ isPassed }) => isPassed)).toEqual([false, false]);
  });

  it('is failed by turns in another order, unless the order does not count', async () => {
    const answered = challengeTask(head, ['left', 'right']);
    const task = { ...answered, challenge: ['right', 'left'] as ChallengeStep[] };
    expect((await readFaces(task)).problem).toBe('challenge_failed');
    expect((await readFaces({ ...task, anyOrder: true })).problem).toBeNull();
  });

  it('is failed by one frame for all steps, and by missing steps', async () => {
    const same = { center: head.center, left: head.center, right: head.center };
    expect((await readFaces(challengeTask(same, ['right']))).problem).toBe('challenge_failed');
    const task = challengeTask(head, ['left']);
    const reading = await readFaces({ ...task, challenge: ['left', 'right'] });
    expect(reading.problem).toBe('challenge_failed');
    expect(reading.challenge[1]).toEqual({
      step: 'right',
      asymmetryChange: null,
      planarResidual: null,
      isPassed: false,
    });
  });

  it('is failed when another person turns the head', async ({ skip }) => {
    const other = await sharedFrame('person-b-1');
    if (!other) return skip();
    const mixed = { ...(await headFrames(other)), center: head.center };
    expect((await readFaces(challengeTask(mixed, ['left', 'right']))).problem).toBe('different_faces');
  });
});

describe('a face', { timeout: TIMEOUT }, () => {
  it.each([
    ['nobody', () => empty(), 'no_face'],
    ['two people', () => twoFaces(face, face), 'several_faces'],
    ['a truncated face', () => movedAside(face, 0.4), 'face_cut'],
    ['a blurred face', () => blurred(face, 7), 'too_blurred'],
    ['a frame too small to show a screen', () => fromSharp(toSharp(face).resize(340, 255)), 'face_too_small'],
    ['a distant face', () => fromSharp(toSharp(face).resize(120, 90)), 'face_too_small'],
  ])('rejects %s as a face', async (_, make, problem) => {
    const reading = await readFaces(still(await toJpeg(await make())));
    expect(reading).toMatchObject({ problem, descriptor: null, portrait: null, bestFrame: null });
  });

  it('rejects bytes that are not an image', async () => {
    const reading = await readFaces(still(new Uint8Array(500).fill(7)));
    expect(reading).toMatchObject({ problem: 'not_an_image', descriptor: null });
  });

  it('is not searched for after the 24th frame, nor in an image that is slow to decode', async () => {
    const blank = await toJpeg(await fromSharp(toSharp(await empty()).resize(160, 120)));
    const frames = Array.from({ length: 25 }, (_, index) => ({
      bytes: index < 24 ? blank : head.center,
      step: 'center' as const,
    }));
    expect((await readFaces({ frames, challenge: [], anyOrder: false })).problem).toBe('no_face');
    const large = await sharp({ create: { width: 4400, height: 3300, channels: 3, background: '#8899aa' } })
      .png({ compressionLevel: 1 })
      .toBuffer();
    expect((await readFaces(still(large))).problem).toBe('not_an_image');
  });

  it('counts when a smaller person stands behind', async () => {
    const reading = await readFaces(still(await toJpeg(await twoFaces(face, face, 0.3))));
    expect(reading.problem).toBeNull();
  });

  it('is the same in a rotated image', async () => {
    const upright = await readFaces(still(await toJpeg(face, 95)));
    const turned = await readFaces(still(await sideways(face)));
    expect(turned.problem).toBeNull();
    expect(faceDistance(upright.descriptor!, turned.descriptor!)).toBeLessThan(0.1);
  });

  it('is computed from the sharpest frame', async () => {
    const soft = await toJpeg(await blurred(face, 2));
    const frames = [soft, head.center, soft].map((bytes) => ({ bytes, step: 'center' as const }));
    expect((await readFaces({ frames, challenge: [], anyOrder: false })).bestFrame).toBe(1);
  });

  it('distinguishes persons at both levels', async ({ skip }) => {
    const readings: Float32Array[] = [];
    for (const name of ['person-a-1', 'person-a-2', 'person-b-1'] as const) {
      const frame = await sharedFrame(name);
      if (!frame) return skip();
      readings.push((await readFaces(still(await toJpeg(frame)))).descriptor!);
    }
    const [first, second, stranger] = readings;
    expect(faceDistance(first!, second!)).toBeLessThan(verificationDistance('strict'));
    const own = (await frontal()).descriptor!;
    for (const [a, b] of [
      [first, stranger],
      [second, stranger],
      [own, first],
      [own, stranger],
    ])
      expect(faceDistance(a!, b!)).toBeGreaterThan(verificationDistance('standard'));
  });

  it('is the same at any tilt of the head', async () => {
    const photo = await astronautPhoto();
    const upright = await portraitOfPhoto();
    for (const degrees of [15, 30, 45]) {
      const tilted = await sharp(photo).rotate(degrees, { background: '#888888' }).jpeg().toBuffer();
      const { descriptor } = (await describePortrait(tilted))!;
      expect(faceDistance(descriptor, upright.descriptor)).toBeLessThan(0.2);
    }
  });

  it('on a document is its portrait', async () => {
    const portrait = await portraitOfPhoto();
    const { descriptor } = await frontal();
    expect(faceDistance(portrait.descriptor, descriptor!)).toBeLessThan(0.2);
    expect(await checkImage(portrait.image)).toMatchObject({ ok: true });
    expect(await describePortrait(await toJpeg(await empty()))).toBeNull();
  });

  it('on a document is found by the second detector where it is too small for the first', async () => {
    const photo = await astronautPhoto();
    const card = await sharp({ create: { width: 1600, height: 1000, channels: 3, background: '#ccccdd' } })
      .composite([{ input: await sharp(photo).resize(260).toBuffer(), left: 60, top: 200 }])
      .jpeg()
      .toBuffer();
    const portrait = (await describePortrait(card))!;
    const { descriptor } = await portraitOfPhoto();
    expect(faceDistance(portrait.descriptor, descriptor)).toBeLessThan(verificationDistance('strict'));
  });

  it('captured from a screen or a print is suspicious', async () => {
    const score = async (image: RgbImage) => (await readFaces(still(await toJpeg(image)))).recaptureScore!;
    const view = { pitch: 1.3, tilt: 4 };
    expect((await frontal()).recaptureScore).toBeLessThan(RECAPTURE_LIMITS.face);
    expect(await score(photographedScreen(face, view))).toBeGreaterThan(RECAPTURE_LIMITS.face);
    expect(await score(photographedPrint(face, { ...view, pitch: 0.3 }))).toBeGreaterThan(
      RECAPTURE_LIMITS.face,
    );
  });

  it('leaves no tensor in memory', async () => {
    const images = [face, await empty(), await twoFaces(face, face), await blurred(face, 7)];
    const jpegs = await Promise.all(images.map((image) => toJpeg(image)));
    // The networks are loaded, and stay.
    await frontal();
    const before = tf.memory().numTensors;
    // The count is exact: one reading that leaves a tensor is enough.
    for (const jpeg of jpegs) await readFaces(still(jpeg));
    await describePortrait(head.center);
    expect(tf.memory().numTensors).toBe(before);
  });
});
