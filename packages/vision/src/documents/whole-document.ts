import type { SideReading } from '../readings.ts';
import type { MrzFormat } from './mrz-layout.ts';

/*
 * Whether an image shows a complete document. The machine readable zone has a fixed size on each type of document (ICAO Doc
 * 9303, parts 4 to 7), so it determines the document's edges even at the border of the image.
 */

/** Millimeters of a document, its zone's characters in a row, and the paper below the frame of the last row. */
type Size = { width: number; height: number; characters: number; below: number };

const SIZES: Readonly<Record<MrzFormat, Size>> = {
  TD1: { width: 85.6, height: 54, characters: 30, below: 3.5 },
  TD2: { width: 105, height: 74, characters: 36, below: 5 },
  TD3: { width: 125, height: 88, characters: 44, below: 5 },
  'MRV-A': { width: 120, height: 80, characters: 44, below: 5 },
  'MRV-B': { width: 105, height: 74, characters: 36, below: 5 },
  'FRA-ID': { width: 105, height: 74, characters: 36, below: 5 },
};
/** Millimeters from one character of a zone to the next. */
const PITCH = 2.54;
/** Difference between the widths of the zone's frame and its characters, in millimeters. */
const FRAME = 0.7;
/** Tolerance for a computed edge outside the image, in millimeters: print, page and measurement vary slightly. */
const MAX_BEYOND = { side: 4, top: 5 } as const;
/** Millimeters of paper that must be left beside and below the zone. */
const MIN_PAPER = 1;

/** Minimum distance of an outline's corners from the frame, as a share of the shorter side. Nearer ones are those of the frame. */
const MIN_MARGIN = 0.004;
/** Tolerance of the aspect ratio, for an outline in perspective and for an image that is the document. */
const MAX_OFF = { outline: 0.15, image: 0.04 } as const;
/** A line of text nearer to the frame, as a share of the image, may be cut. */
const MIN_TEXT_MARGIN = 0.006;
/** Minimum share of an image that the text of a document covers, horizontally and vertically. */
const MIN_TEXT_SPAN = { across: 0.6, down: 0.5 } as const;

/**
 * Whether the complete document is in the image: its outline is within the frame, the zone shows that no edge is cut, or the
 * image has the document's shape and no text touches its frame. A document may fill the frame.
 */
export function isWholeDocument(
  side: SideReading,
  aspects: readonly number[],
  format: MrzFormat | null,
): boolean {
  const isNear = (aspect: number | null, off: number) =>
    aspect !== null && aspects.some((expected) => Math.abs(aspect / expected - 1) <= off);
  if (side.zone && isZoneCut(side.zone)) return false;
  if (side.hasOutline && (side.margin ?? 0) >= MIN_MARGIN) return isNear(side.aspect, MAX_OFF.outline);
  if (side.zone && format) return isZonePlacedWhole(side, side.zone, SIZES[format]);
  return !side.hasOutline && isNear(side.imageAspect, MAX_OFF.image) && isTextWhole(side);
}

function isZoneCut({ x, y, width, height }: NonNullable<SideReading['zone']>): boolean {
  return x <= 0 || x + width >= 1 || y + height >= 1;
}

/** Whether the edges computed from the zone's position and size are within the image. */
function isZonePlacedWhole(
  { hasOutline, aspect, imageAspect }: SideReading,
  zone: NonNullable<SideReading['zone']>,
  size: Size,
): boolean {
  const shape = hasOutline ? aspect : imageAspect;
  if (shape === null) return false;
  const across = ((size.characters + FRAME) * PITCH) / zone.width;
  const down = across / shape;
  const middle = (zone.x + zone.width / 2) * across;
  const left = middle - size.width / 2;
  const right = across - middle - size.width / 2;
  const top = (zone.y + zone.height) * down + size.below - size.height;
  const paper = [zone.x * across, (1 - zone.x - zone.width) * across, (1 - zone.y - zone.height) * down];
  return (
    Math.min(left, right) >= -MAX_BEYOND.side && top >= -MAX_BEYOND.top && Math.min(...paper) >= MIN_PAPER
  );
}

/** Whether text covers the image and no line is cut by its frame. */
function isTextWhole({ lines }: SideReading): boolean {
  if (lines.length < 3) return false;
  const left = Math.min(...lines.map(({ box }) => box.x));
  const right = Math.max(...lines.map(({ box }) => box.x + box.width));
  const top = Math.min(...lines.map(({ box }) => box.y));
  const bottom = Math.max(...lines.map(({ box }) => box.y + box.height));
  const isSpread = right - left >= MIN_TEXT_SPAN.across && bottom - top >= MIN_TEXT_SPAN.down;
  return isSpread && Math.min(left, top, 1 - right, 1 - bottom) >= MIN_TEXT_MARGIN;
}
