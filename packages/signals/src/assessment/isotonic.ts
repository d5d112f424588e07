/** A point of a monotone map: a raw score and its calibrated value. */
export type Knot = { readonly score: number; readonly value: number };

/** A raw score with its label. */
export type LabeledScore = { readonly score: number; readonly label: 0 | 1 };

type Block = { lowest: number; highest: number; positives: number; count: number };

/**
 * The monotone step function that is nearest to the labels by least squares, found by pooling adjacent violators (Ayer and
 * others 1955), as the knots of a map: both ends of each step, and a line from one to the next. Scores of 0 are omitted:
 * they contain no evidence. Each step's share is `(positives + 1/2) / (count + 1)` (Krichevsky and Trofimov), so that a few
 * labels never yield certainty. The order of the points does not matter.
 */
export function fitIsotonic(points: readonly LabeledScore[]): Knot[] {
  const blocks = mergeShares(poolViolators(tiedBlocks(points.filter(({ score }) => score > 0))));
  return blocks.flatMap((block) => {
    const value = shareOf(block);
    return block.lowest === block.highest
      ? [{ score: block.lowest, value }]
      : [
          { score: block.lowest, value },
          { score: block.highest, value },
        ];
  });
}

/** Equal scores are one block. */
function tiedBlocks(points: readonly LabeledScore[]): Block[] {
  const byScore = new Map<number, Block>();
  for (const { score, label } of points) {
    const block = byScore.get(score) ?? { lowest: score, highest: score, positives: 0, count: 0 };
    block.positives += label;
    block.count += 1;
    byScore.set(score, block);
  }
  return [...byScore.values()].sort((a, b) => a.lowest - b.lowest);
}

/** Joins adjacent blocks until the shares rise. */
function poolViolators(blocks: readonly Block[]): Block[] {
  return joinWhile(blocks, (left, right) => left.positives / left.count >= right.positives / right.count);
}

/** Smoothing moves small blocks toward the middle, past larger adjacent ones: joining again keeps the map monotone. */
function mergeShares(blocks: readonly Block[]): Block[] {
  return joinWhile(blocks, (left, right) => shareOf(left) >= shareOf(right));
}

function joinWhile(blocks: readonly Block[], violates: (left: Block, right: Block) => boolean): Block[] {
  const joined: Block[] = [];
  for (const block of blocks) {
    let current = block;
    for (let last = joined.at(-1); last && violates(last, current); last = joined.at(-1)) {
      joined.pop();
      current = {
        lowest: last.lowest,
        highest: current.highest,
        positives: last.positives + current.positives,
        count: last.count + current.count,
      };
    }
    joined.push(current);
  }
  return joined;
}

function shareOf({ positives, count }: Block): number {
  return (positives + 0.5) / (count + 1);
}

/**
 * The value of the map at a score: straight lines between the knots, from (0, 0) to the first, and flat after the last. 0
 * stays 0 for any labels, so that no score rises without evidence.
 */
export function applyKnots(knots: readonly Knot[], score: number): number {
  if (score <= 0 || knots.length === 0) return Math.max(0, score);
  const next = knots.findIndex((knot) => knot.score >= score);
  if (next < 0) return knots.at(-1)!.value;
  const [from, to] = [knots[next - 1] ?? { score: 0, value: 0 }, knots[next]!];
  if (to.score === from.score) return to.value;
  return from.value + ((score - from.score) / (to.score - from.score)) * (to.value - from.value);
}
