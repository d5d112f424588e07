import type { TextBox } from './detect-text.ts';
import type { ReadLine } from './recognize-text.ts';

/** Row of a machine readable zone: its middle, its angle in degrees, and the height of its frame. */
export type MrzRow = { box: TextBox; lines: readonly ReadLine[] };

/** Minimum width of a row of a zone, as a share of the image. */
const WIDE = 0.45;
/** Minimum number of characters read in a row. */
const MIN_CHARACTERS = 20;

/**
 * Rows of the machine readable zone among the lines of a document, from top to bottom; empty without a zone.
 * A row is often found in parts, since a run of fillers looks like an ornament.
 */
export function mrzRows(lines: readonly ReadLine[], width: number): MrzRow[] {
  const seeds = lines.filter((line) => hasFillers(line, width) || isLongCode(line, width));
  // Titles are long and in capitals too, but no document has a zone without a filler.
  if (!seeds.some((line) => hasFillers(line, width))) return [];
  const angle = seeds.toSorted((a, b) => b.box.width - a.box.width)[0]!.box.angle;
  const rows: ReadLine[][] = [];
  for (const seed of seeds.toSorted((a, b) => levelOf(a, angle) - levelOf(b, angle))) {
    const row = rows.find((others) => isSameRow(others[0]!, seed, angle));
    if (row) row.push(seed);
    else rows.push([seed]);
  }
  for (const line of lines) {
    if (seeds.includes(line) || line.box.height > 2.5 * seeds[0]!.box.height) continue;
    rows.find((row) => isSameRow(row[0]!, line, angle))?.push(line);
  }
  return together(rows.map((row) => joined(row, angle)));
}

/** Two adjacent fillers, which no other text has. */
function hasFillers({ mrz, box }: ReadLine, width: number): boolean {
  if (box.width < 3 * box.height) return false;
  return /<</.test(mrz) && (box.width >= WIDE * width || /[A-Z0-9]{3}.*<<|<<<</.test(mrz));
}

/** A long line of capitals and digits only. */
function isLongCode({ mrz, text, box }: ReadLine, width: number): boolean {
  if (box.width < Math.max(WIDE * width, 12 * box.height)) return false;
  const capitals = text.replace(/[^A-Z0-9<]/g, '').length;
  return mrz.length >= MIN_CHARACTERS && capitals >= 0.85 * text.length;
}

/** Vertical position of a line, measured across the direction of the lines. */
function levelOf({ box }: ReadLine, angle: number): number {
  const turn = (angle * Math.PI) / 180;
  return box.y * Math.cos(turn) - box.x * Math.sin(turn);
}

function isSameRow(a: ReadLine, b: ReadLine, angle: number): boolean {
  const height = Math.min(a.box.height, b.box.height);
  return Math.abs(levelOf(a, angle) - levelOf(b, angle)) < 0.5 * height;
}

function joined(lines: readonly ReadLine[], angle: number): MrzRow {
  const turn = (angle * Math.PI) / 180;
  const along = ({ box }: ReadLine) => box.x * Math.cos(turn) + box.y * Math.sin(turn);
  const from = Math.min(...lines.map((line) => along(line) - line.box.width / 2));
  const to = Math.max(...lines.map((line) => along(line) + line.box.width / 2));
  const widest = lines.toSorted((a, b) => b.box.width - a.box.width)[0]!;
  const level = levelOf(widest, angle);
  const middle = (from + to) / 2;
  const box = {
    x: middle * Math.cos(turn) - level * Math.sin(turn),
    y: middle * Math.sin(turn) + level * Math.cos(turn),
    width: to - from,
    height: widest.box.height,
    angle,
  };
  return { box, lines: lines.toSorted((a, b) => along(a) - along(b)) };
}

/** The two or three consecutive rows at the bottom. Others only look like rows. */
function together(rows: readonly MrzRow[]): MrzRow[] {
  const sorted = rows.toSorted((a, b) => a.box.y - b.box.y);
  const kept: MrzRow[] = [];
  for (const row of sorted.toReversed()) {
    const below = kept[0];
    if (below && below.box.y - row.box.y > 3.2 * Math.max(below.box.height, row.box.height)) break;
    kept.unshift(row);
    if (kept.length === 3) break;
  }
  return kept;
}
