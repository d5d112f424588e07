import type { Comb } from './fit-comb.ts';
import { CELL_HEIGHT, CELL_WIDTH, GLYPHS, type GlyphSet, type GlyphSets, normalized } from './glyphs.ts';
import { straightLine } from './straight-line.ts';

/** A strip of gray (0 black to 255 white) with one line of characters in its middle. */
export type Strip = { gray: Float32Array; width: number; height: number };

/** Line recognized character by character. */
export type GlyphLine = {
  /** Similarity of each character to each of GLYPHS, -1 to 1. */
  scores: readonly Float32Array[];
  /** Mean similarity of the best characters. */
  likeness: number;
};

/** Position of a cell: its middle, and width and height of one of its pixels in pixels of the strip. */
type Place = { x: number; y: number; wide: number; high: number };
type Match = { scores: Float32Array; best: number; dx: number; dy: number };

/** Search radius around the comb's positions in pixels of a cell, in the first and the second pass. */
const FIRST_PASS = [-4, -2, 0, 2, 4] as const;
const SECOND_PASS = [-1, 0, 1] as const;
/** Ratios of height to width to try: the shape of the outline and the type are only known approximately. */
const STRETCHES = [0.88, 0.94, 1, 1.06, 1.12] as const;
/** Characters from this similarity on determine the position of their line. */
const DISTINCTIVE = 0.5;

/** Reads the characters at a comb's positions. Sets are degrees of blur; the best one for the whole line is used. */
export function matchGlyphs(strip: Strip, comb: Comb, sets: readonly GlyphSets[]): GlyphLine {
  const scale = comb.pitch / CELL_WIDTH;
  const rough = Array.from({ length: comb.characters }, (_, index) => ({
    x: comb.start + (index + 0.5) * comb.pitch,
    y: strip.height / 2,
    wide: scale,
    high: scale,
  }));
  const { set, stretch } = bestPass(strip, rough, sets);
  const stretched = rough.map((place) => ({ ...place, high: place.high * stretch }));
  const places = straightened(
    stretched,
    stretched.map((place) => matchAt(strip, place, set.coarse, FIRST_PASS)),
  );
  const exact = places.map((place) => matchAt(strip, place, set.fine, SECOND_PASS));
  const likeness = exact.reduce((sum, { scores, best }) => sum + scores[best]!, 0) / exact.length;
  return { scores: exact.map(({ scores }) => scores), likeness };
}

/** Best character at each position. */
export function likeliest(line: GlyphLine): string {
  return line.scores.map((scores) => GLYPHS[indexOfMost(scores)]!).join('');
}

export function indexOfMost(scores: Float32Array): number {
  let best = 0;
  for (let at = 1; at < scores.length; at += 1) if (scores[at]! > scores[best]!) best = at;
  return best;
}

/** Degree of blur, then stretch, with the highest similarity of a sample of the characters. */
function bestPass(strip: Strip, places: readonly Place[], sets: readonly GlyphSets[]) {
  // A sample of every fourth character is enough for both.
  const some = places.filter((_, index) => index % 4 === 1);
  const alike = (set: GlyphSet, stretch: number) => {
    let sum = 0;
    for (const place of some) {
      const match = matchAt(strip, { ...place, high: place.high * stretch }, set, FIRST_PASS);
      sum += match.scores[match.best]!;
    }
    return sum;
  };
  const set = mostBy(sets, ({ coarse }) => alike(coarse, 1));
  return { set, stretch: mostBy(STRETCHES, (stretch) => alike(set.coarse, stretch)) };
}

function mostBy<T>(values: readonly T[], measure: (value: T) => number): T {
  const measures = values.map(measure);
  return values[measures.indexOf(Math.max(...measures))]!;
}

/** Positions after shift, stretch and tilt of the line by the recognized characters. */
function straightened(places: readonly Place[], matches: readonly Match[]): Place[] {
  const known = places
    .map((place, index) => ({ place, match: matches[index]! }))
    .filter(({ match }) => match.scores[match.best]! >= DISTINCTIVE);
  if (known.length < places.length / 4) return [...places];
  const xs = known.map(({ place }) => place.x);
  const across = straightLine(
    xs,
    known.map(({ match }) => match.dx),
  );
  const down = straightLine(
    xs,
    known.map(({ match }) => match.dy),
  );
  return places.map((place) => ({
    ...place,
    x: place.x + across(place.x) * place.wide,
    y: place.y + down(place.x) * place.high,
  }));
}

/** Best similarity of each character around a position, and the position of the overall best. */
function matchAt(strip: Strip, place: Place, { cells, step }: GlyphSet, look: readonly number[]): Match {
  const scores = new Float32Array(cells.length).fill(-1);
  const match: Match = { scores, best: 0, dx: 0, dy: 0 };
  const cell = new Float32Array((CELL_WIDTH * CELL_HEIGHT) / (step * step));
  let most = -2;
  for (const dy of look) {
    for (const dx of look) {
      cut(strip, place, dx, dy, step, cell);
      normalized(cell);
      for (let glyph = 0; glyph < cells.length; glyph += 1) {
        const likeness = product(cell, cells[glyph]!);
        if (likeness > scores[glyph]!) scores[glyph] = likeness;
        if (likeness > most) {
          most = likeness;
          match.best = glyph;
          match.dx = dx;
          match.dy = dy;
        }
      }
    }
  }
  return match;
}

/** Four independent sums, since each addition to one sum waits for the previous one. Cells are a multiple of four. */
function product(a: Float32Array, b: Float32Array): number {
  let first = 0;
  let second = 0;
  let third = 0;
  let fourth = 0;
  for (let at = 0; at < a.length; at += 4) {
    first += a[at]! * b[at]!;
    second += a[at + 1]! * b[at + 1]!;
    third += a[at + 2]! * b[at + 2]!;
    fourth += a[at + 3]! * b[at + 3]!;
  }
  return first + second + third + fourth;
}

/** Pixels of the strip under a cell, as darkness. Outside the strip the nearest pixel is used. */
function cut(strip: Strip, place: Place, dx: number, dy: number, step: number, cell: Float32Array): void {
  const { gray, width, height } = strip;
  const columns = CELL_WIDTH / step;
  const rows = CELL_HEIGHT / step;
  for (let row = 0; row < rows; row += 1) {
    const offY = (row + 0.5) * step - CELL_HEIGHT / 2 + dy;
    const sy = Math.min(height - 1.001, Math.max(0, place.y + offY * place.high - 0.5));
    const top = Math.floor(sy);
    const partY = sy - top;
    for (let column = 0; column < columns; column += 1) {
      const offX = (column + 0.5) * step - CELL_WIDTH / 2 + dx;
      const sx = Math.min(width - 1.001, Math.max(0, place.x + offX * place.wide - 0.5));
      const left = Math.floor(sx);
      const partX = sx - left;
      const at = top * width + left;
      const upper = gray[at]! * (1 - partX) + gray[at + 1]! * partX;
      const lower = gray[at + width]! * (1 - partX) + gray[at + width + 1]! * partX;
      cell[row * columns + column] = 255 - (upper * (1 - partY) + lower * partY);
    }
  }
}
