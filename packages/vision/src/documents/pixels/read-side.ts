import type { MrzLines, SideReading, TextLine } from '../../readings.ts';
import { recaptureScore } from '../../recapture.ts';
import type { Stopwatch } from '../../stopwatch.ts';
import { cornersOf } from './detect-text.ts';
import { findOutline } from './find-outline.ts';
import type { MrzRow } from './mrz-rows.ts';
import { readUpright, type UprightText } from './orient.ts';
import { aspectOf, canonicalAspect, marginOf, sidesOf } from './quad-shape.ts';
import { glareOf, sharpnessOf } from './quality.ts';
import { clamp, type Quad, type Raster, toGray } from './raster.ts';
import { readBarcode } from './read-barcode.ts';
import { readMrzLines, type ZoneRead } from './read-mrz-lines.ts';
import { readWholeZone } from './read-whole.ts';
import type { ReadLine } from './recognize-text.ts';
import { rectify, resized } from './rectify.ts';

/** Parts of a side to read. `mrzHolds`: whether the check digits of the zone are valid. */
export type SideWish = {
  isBarcodeWanted: boolean;
  mrzHolds: (candidates: readonly MrzLines[]) => boolean;
};

/** Side that was read, with its image upright and rectified. */
export type ReadSide = { reading: SideReading; image: Raster };

type Outline = { quad: Quad; margin: number; aspect: number };

/** Width at which sharpness is measured, in pixels. */
const SHARPNESS_WIDTH = 1000;
/** Maximum side of an image without an outline, in pixels. */
const PLAIN_SIDE = 2200;
/** Minimum confidence. Lines below it are ornaments. */
const MIN_CONFIDENCE = 0.5;
/** An outline around fewer lines of text may belong to another object. */
const FEW_LINES = 3;
/** If the whole image has more than this multiple of the outline's lines, the outline covers only a part. */
const MORE_LINES = 1.8;

/** Text of a side: within the outline, or of the whole image without one. */
type Found = { outline: Outline | null; text: UprightText; zone: ZoneRead };

/** Reads an image of one side. */
export async function readSide(photo: Raster, wish: SideWish, watch: Stopwatch): Promise<ReadSide> {
  const { outline: around, text, zone } = await findText(photo, wish, watch);
  const { image, lines } = text;
  // Few documents have both, so an image without a zone is searched more thoroughly.
  const hasZone = zone.candidates.length > 0;
  const barcode = wish.isBarcodeWanted
    ? await watch.time('barcode', () => readBarcode([image, photo], !hasZone))
    : null;
  const seen = lines.filter(isText);
  // A rectangle without words is a frame, a screen or a sheet of paper.
  const outline = seen.length > 1 || barcode !== null ? around : null;
  const quality = await watch.time('quality', async () => qualityOf(image));
  const recapture = await watch.time('recapture', async () => recaptureOf(photo, outline));
  const reading = {
    problem: null,
    hasOutline: outline !== null,
    margin: outline?.margin ?? null,
    aspect: outline?.aspect ?? null,
    imageAspect: image.width / image.height,
    ...quality,
    recaptureScore: recapture,
    lines: seen.map((line) => textLine(line, image)),
    mrz: zone.candidates,
    zone: zoneBox(zone.rows, image),
    barcode,
  };
  return { reading, image };
}

/** Text and zone. A zone that is missing or incomplete in the outline is also searched in the whole image. */
async function findText(photo: Raster, wish: SideWish, watch: Stopwatch): Promise<Found> {
  const around = await watch.time('outline', async () => outlineOf(photo));
  const { outline, text } = await readText(photo, around, watch);
  const zone = await watch.time('mrz', () => readMrzLines(text.image, text.lines));
  const found: Found = { outline, text, zone };
  return outline && !wish.mrzHolds(zone.candidates) ? combined(photo, found, watch) : found;
}

/** Both reads of the zone. An outline without a zone, or with little of the text, covers a part of the document. */
async function combined(photo: Raster, found: Found, watch: Stopwatch): Promise<Found> {
  const whole = await readWholeZone(plain(photo), watch);
  if (!whole) return found;
  const { text, zone } = found;
  const isPart = zone.candidates.length === 0 || whole.lineCount > MORE_LINES * text.lines.length;
  const candidates = [...zone.candidates, ...whole.zone.candidates];
  if (!isPart) return { ...found, zone: { candidates, rows: zone.rows } };
  return { outline: null, text: await whole.readText(), zone: { candidates, rows: whole.zone.rows } };
}

function outlineOf(photo: Raster): Outline | null {
  const quad = findOutline(photo);
  if (!quad) return null;
  const { width, height } = photo;
  return { quad, margin: marginOf(quad, width, height), aspect: aspectOf(quad, width, height) };
}

/** Text within the outline; that of the whole image if the outline belongs to a window or a portrait. */
async function readText(
  photo: Raster,
  outline: Outline | null,
  watch: Stopwatch,
): Promise<{ outline: Outline | null; text: UprightText }> {
  if (outline) {
    const straight = await watch.time('rectify', async () => straighten(photo, outline));
    const text = await readUpright(straight, watch);
    if (text.lines.filter(isText).length >= FEW_LINES) return { outline, text };
    const whole = await readUpright(plain(photo), watch);
    // The image of a document with few words (the side with the barcode) has no further lines.
    if (whole.lines.filter(isText).length <= text.lines.filter(isText).length + 2) return { outline, text };
    return { outline: null, text: whole };
  }
  return { outline: null, text: await readUpright(plain(photo), watch) };
}

function straighten(photo: Raster, { quad, aspect }: Outline): Raster {
  return rectify(photo, quad, canonicalAspect(aspect), sidesOf(quad).along);
}

function plain(photo: Raster): Raster {
  const scale = Math.min(1, PLAIN_SIDE / Math.max(photo.width, photo.height));
  return resized(photo, Math.round(photo.width * scale), Math.round(photo.height * scale));
}

function qualityOf(image: Raster) {
  const gray = toGray(image);
  const height = Math.round((gray.height * SHARPNESS_WIDTH) / gray.width);
  return {
    sharpness: sharpnessOf(resized(gray, SHARPNESS_WIDTH, height)),
    glare: glareOf(image, gray),
  };
}

/** Measured on the original pixels, since rectification would blur a screen's grid. */
function recaptureOf(photo: Raster, outline: Outline | null): number | null {
  const shot = outline ? boundsOf(photo, outline.quad) : photo;
  return recaptureScore(toGray(shot).data, shot.width, shot.height);
}

/** Bounding box of an outline. */
function boundsOf(photo: Raster, quad: Quad): Raster {
  const left = Math.floor(clamp(Math.min(...quad.map(({ x }) => x)), 0, photo.width - 1));
  const right = Math.ceil(clamp(Math.max(...quad.map(({ x }) => x)), left + 1, photo.width));
  const top = Math.floor(clamp(Math.min(...quad.map(({ y }) => y)), 0, photo.height - 1));
  const bottom = Math.ceil(clamp(Math.max(...quad.map(({ y }) => y)), top + 1, photo.height));
  const width = right - left;
  const data = new Uint8Array(width * (bottom - top) * photo.channels);
  for (let y = top; y < bottom; y += 1) {
    const from = (y * photo.width + left) * photo.channels;
    data.set(photo.data.subarray(from, from + width * photo.channels), (y - top) * width * photo.channels);
  }
  return { data, width, height: bottom - top, channels: photo.channels };
}

/** Bounding box of a zone's rows, in shares of the image; null without a zone. */
function zoneBox(rows: readonly MrzRow[], { width, height }: Raster): SideReading['zone'] {
  if (rows.length < 2) return null;
  const corners = rows.flatMap(({ box }) => cornersOf(box));
  const [xs, ys] = [corners.map(({ x }) => x / width), corners.map(({ y }) => y / height)];
  const [left, top] = [Math.min(...xs), Math.min(...ys)];
  return { x: left, y: top, width: Math.max(...xs) - left, height: Math.max(...ys) - top };
}

function isText({ text, confidence }: ReadLine): boolean {
  return text !== '' && confidence >= MIN_CONFIDENCE;
}

function textLine({ text, confidence, box }: ReadLine, { width, height }: Raster): TextLine {
  return {
    text,
    confidence: clamp(confidence, 0, 1),
    box: {
      x: (box.x - box.width / 2) / width,
      y: (box.y - box.height / 2) / height,
      width: box.width / width,
      height: box.height / height,
    },
  };
}
