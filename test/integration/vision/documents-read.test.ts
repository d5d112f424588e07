import { once } from '@vouchgraph/platform/once';
import { RECAPTURE_LIMITS } from '@vouchgraph/vision';
import { decodeUpright } from '@vouchgraph/vision/image-check';
import { judgeDocument } from '@vouchgraph/vision/internals/documents/judge-document';
import { readMrz } from '@vouchgraph/vision/internals/documents/mrz';
import { findOutline } from '@vouchgraph/vision/internals/documents/pixels/find-outline';
import { cv, opencvReady } from '@vouchgraph/vision/internals/documents/pixels/opencv';
import { readDocument } from '@vouchgraph/vision/internals/documents/read-document';
import type { DocumentReading } from '@vouchgraph/vision/internals/readings';
import sharp from 'sharp';
import { beforeAll, describe, expect, it } from 'vitest';
import { makeIdCard } from '../../fixtures/documents/id-card.ts';
import { makeLicense } from '../../fixtures/documents/license.ts';
import { makePassport } from '../../fixtures/documents/passport.ts';
import { randomPerson } from '../../fixtures/documents/person.ts';
import { type PhotoOptions, photograph } from '../../fixtures/documents/photograph.ts';
import { seededRandom } from '../../fixtures/documents/random.ts';
import { renderDocument } from '../../fixtures/documents/render.ts';
import type { Side, Specimen } from '../../fixtures/documents/specimen.ts';
import { astronautPhoto } from '../../fixtures/faces/photo.ts';

const TIMEOUT = 120_000;

const random = seededRandom(20);
// With a face, which is found at once: a search without a result takes longer. The license shows a drawing.
const portrait = await astronautPhoto();
const passport = makePassport(randomPerson(random, { country: 'GBR' }), { random, portrait });
const card = makeIdCard(randomPerson(random, { country: 'DEU' }), { random, portrait });
const license = makeLicense(randomPerson(random, { country: 'USA' }), { random });

async function photo(document: Specimen, side: Side, options: PhotoOptions = {}): Promise<Buffer> {
  return photograph(await renderDocument(document, { side }), { random: seededRandom(21), ...options });
}

const RETRY = 'could_not_confidently_determine_full_id_user_needs_to_retry';

/** A scan with the document's edges, or cropped by shares of its width and height. */
async function scan(
  document: Specimen,
  { right = 0, top = 0, bottom = 0 }: { right?: number; top?: number; bottom?: number },
): Promise<Buffer> {
  const flat = await sharp(await renderDocument(document, { side: 'front' }))
    .flatten({ background: '#ffffff' })
    .resize({ width: 1200 })
    .toBuffer();
  const { width, height } = await sharp(flat).metadata();
  const above = Math.round(top * height);
  return sharp(flat)
    .extract({
      left: 0,
      top: above,
      width: Math.round(width * (1 - right)),
      height: Math.round(height * (1 - bottom)) - above,
    })
    .jpeg()
    .toBuffer();
}

/** The front above the back on a dark desk, as cards are often scanned. */
async function bothSides(document: Specimen): Promise<Buffer> {
  const [front, back] = await Promise.all(
    (['front', 'back'] as const).map(async (side) =>
      sharp(await renderDocument(document, { side }))
        .resize({ width: 1000 })
        .toBuffer(),
    ),
  );
  return sharp({ create: { width: 1200, height: 1500, channels: 3, background: '#39404a' } })
    .composite([
      { input: front!, left: 100, top: 80 },
      { input: back!, left: 100, top: 790 },
    ])
    .jpeg()
    .toBuffer();
}

const cleanPhoto = once(() => photo(passport, 'front', { level: 'clean' }));
const cleanPassport = once(async () => readDocument({ front: await cleanPhoto(), back: null }));
/** Both sides of a card, held differently. */
const turnedCard = once(async () =>
  readDocument({
    front: await photo(card, 'front', { turn: 270 }),
    back: await photo(card, 'back', { level: 'mild', turn: 180 }),
  }),
);
/** The back of a card twice: rotated, and as a phone stores it. */
const sidewaysCard = once(async () =>
  readDocument({
    front: await photo(card, 'back', { level: 'mild', turn: 90 }),
    back: await photo(card, 'back', { level: 'mild', exif: true }),
  }),
);

const firstZone = ({ front, back }: DocumentReading) =>
  [...(front.mrz[0]?.lines ?? []), ...(back?.mrz[0]?.lines ?? [])].join('\n');
const zoneOf = ({ truth }: Specimen) => truth.mrzLines!.join('\n');
const textOf = ({ front }: DocumentReading) => front.lines.map(({ text }) => text).join('\n');

describe('a photograph of a document', { timeout: TIMEOUT }, () => {
  it.each(['clean', 'mild', 'hard'] as const)('is read: a passport, %s', async (level) => {
    const reading =
      level === 'clean'
        ? await cleanPassport()
        : await readDocument({ front: await photo(passport, 'front', { level }), back: null });
    expect(firstZone(reading)).toBe(zoneOf(passport));
    expect(readMrz(reading.front.mrz)).toMatchObject({ holds: true, format: 'TD3' });
    expect(reading.front).toMatchObject({ problem: null, hasOutline: true, barcode: null });
    expect(reading.front.margin).toBeGreaterThan(0.02);
    expect(Math.abs(reading.front.aspect! / 1.42 - 1)).toBeLessThan(0.1);
    expect(reading.front.recaptureScore).toBeLessThan(RECAPTURE_LIMITS.document);
    expect(textOf(reading)).toMatch(/passport/i);
    expect(reading.back).toBeNull();
    for (const { box, confidence } of reading.front.lines) {
      expect(confidence).toBeGreaterThanOrEqual(0.5);
      expect(box.x + box.width / 2).toBeGreaterThan(0);
      expect(box.y + box.height / 2).toBeLessThan(1);
    }
  });

  it.each([
    ['upside down', async () => (await turnedCard()).back!],
    ['on its side', async () => (await sidewaysCard()).front],
    ['on its side by EXIF', async () => (await sidewaysCard()).back!],
  ] as const)('is read %s', async (_, read) => {
    const { hasOutline, mrz } = await read();
    expect(hasOutline).toBe(true);
    expect(mrz[0]!.lines.join('\n')).toBe(zoneOf(card));
  });

  it('is read on both sides, each with its own rotation', async () => {
    const reading = await turnedCard();
    expect(firstZone(reading)).toBe(zoneOf(card));
    expect(textOf(reading)).toMatch(/BUNDESREPUBLIK|PERSONALAUSWEIS/);
  });

  it('has a barcode on its back, with its own control characters', async () => {
    const reading = await readDocument({
      front: await photo(license, 'front', { level: 'mild' }),
      back: await photo(license, 'back', { level: 'mild' }),
    });
    expect(reading.back!.barcode).toEqual({ text: license.truth.barcodeText });
    expect(reading.front).toMatchObject({ barcode: null, mrz: [] });
    expect(reading.timings).toMatchObject({
      detect: expect.any(Number),
      recognize: expect.any(Number),
      barcode: expect.any(Number),
    });
  });

  it('contains a portrait', async () => {
    const reading = await cleanPassport();
    expect(reading.portrait!.descriptor).toHaveLength(128);
    expect(reading.portrait!.image.byteLength).toBeGreaterThan(1000);
  });

  it('is incomplete when the frame truncates the document', async () => {
    const { front } = await readDocument({
      front: await photo(passport, 'front', { cut: 0.12 }),
      back: null,
    });
    expect(front.hasOutline && front.margin! > 0.02).toBe(false);
    expect(readMrz(front.mrz)?.holds ?? false).toBe(false);
  });

  it('is read beyond an outline of a part: both sides of a card in one image', async () => {
    const { front } = await readDocument({ front: await bothSides(card), back: null });
    expect(readMrz(front.mrz)).toMatchObject({ holds: true, format: 'TD1' });
    expect(readMrz(front.mrz)!.lines.join('\n')).toBe(zoneOf(card));
    expect(front).toMatchObject({ hasOutline: false, zone: { y: expect.any(Number) } });
    expect(textOf({ front } as DocumentReading)).toMatch(/BUNDESREPUBLIK|PERSONALAUSWEIS/);
  });

  it.each([
    ['an edge to edge scan', {}, 'full_id_detected'],
    ['without its right edge', { right: 0.12 }, RETRY],
    ['without its upper edge', { top: 0.12 }, RETRY],
    ['without its lower edge', { bottom: 0.2 }, RETRY],
  ])('is complete when no part of it is truncated: %s', async (_, cut, expected) => {
    const front = await scan(passport, cut);
    const judgment = judgeDocument(await readDocument({ front, back: null }), {
      now: new Date(),
      selfie: null,
    });
    expect(judgment.signals.isFullIdCaptured).toBe(expected);
  });

  it('has no valid zone where glare covers a part of it', async () => {
    const glare = { x: 0.35, y: 0.86, radius: 0.12 };
    const { front } = await readDocument({ front: await photo(passport, 'front', { glare }), back: null });
    expect(front.mrz).not.toHaveLength(0);
    expect(readMrz(front.mrz)?.holds ?? false).toBe(false);
  });
});

describe('an image without a document', { timeout: TIMEOUT }, () => {
  it('contains no text, zone or barcode', async () => {
    const plain = await sharp({ create: { width: 400, height: 300, channels: 3, background: '#887766' } })
      .jpeg()
      .toBuffer();
    const { front, portrait } = await readDocument({ front: plain, back: null });
    expect(front).toMatchObject({
      problem: null,
      hasOutline: false,
      margin: null,
      aspect: null,
      lines: [],
      mrz: [],
      barcode: null,
    });
    expect(portrait).toBeNull();
  });

  it('can show a person', async () => {
    const face = await sharp(portrait).jpeg().toBuffer();
    const { front } = await readDocument({ front: face, back: null });
    expect(front).toMatchObject({ problem: null, hasOutline: false, mrz: [], barcode: null });
  });

  it.each([
    ['text', Buffer.from('no image')],
    ['nothing', Buffer.alloc(0)],
    ['a truncated JPEG', Buffer.from([0xff, 0xd8, 0xff, 0xe0, 0, 16, 0x4a, 0x46])],
  ])('is rejected as an image: %s', async (_, bytes) => {
    const { front, back } = await readDocument({ front: bytes, back: bytes });
    expect(front.problem).toBe('not_an_image');
    expect(back!.problem).toBe('not_an_image');
  });

  it('can be smaller than any text', async () => {
    const dot = await sharp({ create: { width: 2, height: 3, channels: 3, background: '#fff' } })
      .png()
      .toBuffer();
    const { front } = await readDocument({ front: dot, back: null });
    expect(front).toMatchObject({ problem: null, hasOutline: false, lines: [] });
  });
});

describe('memory of the outline search', () => {
  beforeAll(opencvReady);

  it('does not grow', { timeout: TIMEOUT }, async () => {
    const decoded = (await decodeUpright(await cleanPhoto(), 1600))!;
    const raster = { ...decoded, channels: 3 as const };
    const heap = () => (cv as unknown as { HEAPU8: Uint8Array }).HEAPU8.byteLength;
    for (let turn = 0; turn < 3; turn += 1) expect(findOutline(raster)).not.toBeNull();
    const before = heap();
    // Each search takes some 20 MB: a leaked matrix would be visible long before the end.
    for (let turn = 0; turn < 30; turn += 1) findOutline(raster);
    expect(heap()).toBe(before);
  });
});
