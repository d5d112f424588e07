/**
 * Edit distance of two texts: inserted, deleted and replaced characters, and exchanges of two neighboring ones (optimal
 * string alignment). `limit + 1` for any distance that is greater than `limit`. `replacing` and `exchanging`:
 * costs of a replaced character and of an exchange.
 */
export function editDistanceWithin(
  one: string,
  other: string,
  limit: number,
  replacing = 1,
  exchanging = 1,
): number {
  if (Math.abs(one.length - other.length) > limit) return limit + 1;
  let before: number[] = [];
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let at = 1; at <= one.length; at++) {
    const next = [at];
    let smallest = at;
    for (let place = 1; place <= other.length; place++) {
      const isEqual = one[at - 1] === other[place - 1];
      const replaced = row[place - 1]! + (isEqual ? 0 : replacing);
      let cost = Math.min(replaced, row[place]! + 1, next[place - 1]! + 1);
      const isExchanged = at > 1 && one[at - 1] === other[place - 2] && one[at - 2] === other[place - 1];
      if (isExchanged) cost = Math.min(cost, before[place - 2]! + exchanging);
      next.push(cost);
      if (cost < smallest) smallest = cost;
    }
    // An exchange continues from the row before: both have to be over the limit.
    if (smallest > limit && Math.min(...row) > limit) return limit + 1;
    before = row;
    row = next;
  }
  return Math.min(row[other.length]!, limit + 1);
}

/** Levenshtein distance: inserted, deleted and replaced characters; an exchange is two replacements. */
export function levenshtein(one: string, other: string): number {
  return editDistanceWithin(one, other, Math.max(one.length, other.length), 1, 2);
}
