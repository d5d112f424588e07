import { alongOf, cutStrip, type Frame, inkOf, STRIP_PITCH, sumOf } from './cut-strip.ts';
import type { MrzRow } from './mrz-rows.ts';
import type { Raster } from './raster.ts';

/** Maximum extension of a row, as a share of the detected part. */
const REACH = 0.5;
/** A row has ended where this many pixels of a strip are paper; between characters there are half as many. */
const END = 1.3 * STRIP_PITCH;
/** Columns with less than this share of the rows' median ink are paper. */
const FAINT = 0.3;

/**
 * The rows from their first character to their last. Faint fillers at an end are often not detected, but the rows of a zone
 * are aligned, so another row may show the end. `count`: maximum number of characters of a row.
 */
export function wholeRows(gray: Raster, rows: readonly MrzRow[], count: number): MrzRow[] {
  const found = {
    from: Math.min(...rows.map(({ box }) => alongOf(box) - box.width / 2)),
    to: Math.max(...rows.map(({ box }) => alongOf(box) + box.width / 2)),
  };
  const pitch = (found.to - found.from) / count;
  const reach = REACH * (found.to - found.from);
  const wide = { from: found.from - reach, to: found.to + reach };
  const ink = sumOf(rows.map(({ box }) => inkOf(cutStrip(gray, box, wide, pitch))));
  const scale = ink.length / (wide.to - wide.from);
  const ends = grow(ink, { from: (found.from - wide.from) * scale, to: (found.to - wide.from) * scale });
  // Half a character of paper at each end, as around a box of text.
  const margin = 0.5 * pitch;
  const frame = { from: wide.from + ends.from / scale - margin, to: wide.from + ends.to / scale + margin };
  return rows.map((row) => withFrame(row, frame));
}

/** Extent of the ink around the detected part, across gaps between characters. */
export function grow(ink: Float32Array, { from, to }: Frame): Frame {
  const first = Math.max(0, Math.round(from));
  const last = Math.min(ink.length - 1, Math.round(to));
  const sorted = ink.slice(first, last + 1).toSorted();
  const limit = FAINT * sorted[Math.floor(sorted.length * 0.85)]!;
  return { from: walk(ink, first, -1, limit), to: walk(ink, last, 1, limit) };
}

/** The last column with ink before the row ends. */
function walk(ink: Float32Array, start: number, step: 1 | -1, limit: number): number {
  let last = start;
  for (let at = start; at >= 0 && at < ink.length && Math.abs(at - last) <= END; at += step) {
    if (ink[at]! > limit) last = at;
  }
  return last;
}

function withFrame({ box, lines }: MrzRow, { from, to }: Frame): MrzRow {
  const turn = (box.angle * Math.PI) / 180;
  const shift = (from + to) / 2 - alongOf(box);
  const x = box.x + shift * Math.cos(turn);
  const y = box.y + shift * Math.sin(turn);
  return { box: { ...box, x, y, width: to - from }, lines };
}
