/** Three rows of the distance matrix, shared by all calls. */
let rows: [Uint32Array, Uint32Array, Uint32Array] = newRows(64);

function newRows(length: number): typeof rows {
  return [new Uint32Array(length), new Uint32Array(length), new Uint32Array(length)];
}

/**
 * Edit distance of two texts: inserted, deleted and replaced characters, and exchanges of two adjacent ones (optimal string
 * alignment). Returns `limit + 1` for any distance greater than `limit`. `replacing` and `exchanging`: costs of a replacement and
 * of an exchange.
 *
 * Only the band of cells at most `limit` away from the diagonal is computed. The two cells next to the band of a row are
 * `limit + 1`.
 */
export function editDistanceWithin(
  one: string,
  other: string,
  limit: number,
  replacing = 1,
  exchanging = 1,
): number {
  const width = other.length;
  if (Math.abs(one.length - width) > limit) return limit + 1;
  if (rows[0].length < width + 2) rows = newRows(2 * width + 2);
  let [before, row, next] = rows;
  for (let place = 0; place <= width; place++) row[place] = place;
  let smallestBefore = 0;
  for (let at = 1; at <= one.length; at++) {
    const from = Math.max(1, at - limit);
    const to = Math.min(width, at + limit);
    const letter = one.charCodeAt(at - 1);
    next[from - 1] = from === 1 ? at : limit + 1;
    next[to + 1] = limit + 1;
    let smallest = next[from - 1]!;
    for (let place = from; place <= to; place++) {
      const isEqual = letter === other.charCodeAt(place - 1);
      const replaced = row[place - 1]! + (isEqual ? 0 : replacing);
      let cost = Math.min(replaced, row[place]! + 1, next[place - 1]! + 1);
      const isExchanged =
        at > 1 &&
        place > 1 &&
        letter === other.charCodeAt(place - 2) &&
        one.charCodeAt(at - 2) === other.charCodeAt(place - 1);
      if (isExchanged) cost = Math.min(cost, before[place - 2]! + exchanging);
      next[place] = cost;
      if (cost < smallest) smallest = cost;
    }
    // An exchange uses the row before the previous one: two consecutive rows must be over the limit.
    if (smallest > limit && smallestBefore > limit) return limit + 1;
    smallestBefore = smallest;
    [before, row, next] = [row, next, before];
  }
  return Math.min(row[width]!, limit + 1);
}

/** Levenshtein distance: inserted, deleted and replaced characters; an exchange is two replacements. */
export function levenshtein(one: string, other: string): number {
  return editDistanceWithin(one, other, Math.max(one.length, other.length), 1, 2);
}
