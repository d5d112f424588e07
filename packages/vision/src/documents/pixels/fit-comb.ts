/*
 * Characters of a machine readable zone have a constant distance, with paper between them. A comb whose teeth all hit paper
 * shows where each character starts.
 */

/** Positions of the characters along a line, in pixels. */
export type Comb = {
  characters: number;
  /** Left end of the first character's cell. */
  start: number;
  pitch: number;
  /** Ink under the teeth relative to the ink of the whole line: 0 is a perfect comb, 1 is no evidence. */
  ink: number;
};

/** Share of a cell that is paper at the left of the first character and at the right of the last. */
const PAPER = 0.3;

/** Sample points of a tooth, in characters from its middle. A broad tooth settles in the middle of the paper. */
const TOOTH = [-0.15, 0, 0.15] as const;

/** Comb for each possible number of characters, best first. `ink` is the darkness of each column of pixels. */
export function fitCombs(ink: Float32Array, counts: readonly number[]): Comb[] {
  const extent = inkExtent(ink);
  if (!extent) return [];
  const combs = counts.map((characters) => fitComb(ink, extent, characters));
  return combs.toSorted((a, b) => a.ink - b.ink);
}

/** First and last column with ink, ignoring single specks. */
function inkExtent(ink: Float32Array): { from: number; to: number } | null {
  const sorted = Float32Array.from(ink).toSorted();
  const strong = sorted[Math.floor(sorted.length * 0.85)] ?? 0;
  const limit = strong * 0.3;
  if (limit <= 0) return null;
  const isInk = (at: number) => ink[at]! > limit && (ink[at + 1] ?? 0) + (ink[at - 1] ?? 0) > limit;
  let from = 0;
  let to = ink.length - 1;
  while (from < to && !isInk(from)) from += 1;
  while (to > from && !isInk(to)) to -= 1;
  return to - from > 20 ? { from, to } : null;
}

function fitComb(ink: Float32Array, extent: { from: number; to: number }, characters: number): Comb {
  const width = extent.to - extent.from + 1;
  const first = width / (characters - PAPER);
  const mean = meanOf(ink, extent.from, extent.to);
  let best: Comb = { characters, start: extent.from - (PAPER / 2) * first, pitch: first, ink: 1 };
  for (let wider = -0.02; wider <= 0.0201; wider += 0.001) {
    const pitch = first * (1 + wider);
    for (let shift = -0.45; shift <= 0.451; shift += 0.03) {
      const start = extent.from + width / 2 - (characters / 2) * pitch + shift * pitch;
      let sum = 0;
      for (let tooth = 0; tooth <= characters; tooth += 1) {
        for (const side of TOOTH) sum += sample(ink, start + (tooth + side) * pitch);
      }
      const under = sum / (TOOTH.length * (characters + 1)) / mean;
      if (under < best.ink) best = { characters, start, pitch, ink: under };
    }
  }
  return best;
}

function meanOf(ink: Float32Array, from: number, to: number): number {
  let sum = 0;
  for (let at = from; at <= to; at += 1) sum += ink[at]!;
  return Math.max(1e-6, sum / (to - from + 1));
}

function sample(ink: Float32Array, x: number): number {
  const left = Math.floor(x);
  const part = x - left;
  return (ink[left] ?? 0) * (1 - part) + (ink[left + 1] ?? 0) * part;
}
