import type { SideReading } from '../readings.ts';
import type { MrzFormat } from './mrz-layout.ts';

/*
 * Whether a document is whole in a picture. The machine readable zone has one size on each kind of document (ICAO Doc
 * 9303, parts 4 to 7), so that it shows where the document's edges are even where the picture ends there.
 */

/** Millimetres of a document, its zone's characters in a row, and the paper below the frame of the last row. */
type Size = { width: number; height: number; characters: number; below: number };

const SIZES: Readonly<Record<MrzFormat, Size>> = {
  TD1: { width: 85.6, height: 54, characters: 30, below: 3.5 },
  TD2: { width: 105, height: 74, characters: 36, below: 5 },
  TD3: { width: 125, height: 88, characters: 44, below: 5 },
  'MRV-A': { width: 120, height: 80, characters: 44, below: 5 },
  'MRV-B': { width: 105, height: 74, characters: 36, below: 5 },
  'FRA-ID': { width: 105, height: 74, characters: 36, below: 5 },
};
/** Millimetres from one character of a zone to the next. */
const PITCH = 2.54;
/** The zone's frame is wider than its characters by this many. */
const FRAME = 0.7;
/** Millimetres that an edge worked out so may lie beyond the picture: print, page and measure each vary a little. */
const MAX_BEYOND = { side: 4, top: 5 } as const;
/** Millimetres of paper that must be left beside and below the zone. */
const MIN_PAPER = 1;

/** Least distance of an outline's corners from the frame, as a part of the shorter side: nearer ones are the frame's. */
const MIN_MARGIN = 0.004;
/** How far width by height may be off: of an outline seen in perspective, and of a picture that is the document. */
const MAX_OFF = { outline: 0.15, picture: 0.04 } as const;
/** A line of text nearer to the frame than this part of the picture may go on beyond it. */
const MIN_TEXT_MARGIN = 0.006;
/** The part of a picture that the text of a document covers at least, across and down. */
const MIN_TEXT_SPAN = { across: 0.6, down: 0.5 } as const;

/**
 * Whether all of the document is in the picture: its outline lies within the frame, or the zone shows that no edge is
 * cut, or the picture has the document's shape and no text touches its frame. Filling the frame is no fault.
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
  return !side.hasOutline && isNear(side.pictureAspect, MAX_OFF.picture) && isTextWhole(side);
}

function isZoneCut({ x, y, width, height }: NonNullable<SideReading['zone']>): boolean {
  return x <= 0 || x + width >= 1 || y + height >= 1;
}

/** Whether the edges that follow from the zone's place and size lie within the picture. */
function isZonePlacedWhole(
  { hasOutline, aspect, pictureAspect }: SideReading,
  zone: NonNullable<SideReading['zone']>,
  size: Size,
): boolean {
  const shape = hasOutline ? aspect : pictureAspect;
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

/** Lines of text all over the picture, none of which may go on beyond its frame. */
function isTextWhole({ lines }: SideReading): boolean {
  if (lines.length < 3) return false;
  const left = Math.min(...lines.map(({ box }) => box.x));
  const right = Math.max(...lines.map(({ box }) => box.x + box.width));
  const top = Math.min(...lines.map(({ box }) => box.y));
  const bottom = Math.max(...lines.map(({ box }) => box.y + box.height));
  const isSpread = right - left >= MIN_TEXT_SPAN.across && bottom - top >= MIN_TEXT_SPAN.down;
  return isSpread && Math.min(left, top, 1 - right, 1 - bottom) >= MIN_TEXT_MARGIN;
}
