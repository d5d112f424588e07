/** Levenshtein distance of two texts; `limit + 1` for any that is greater than `limit`. */
export function editDistanceWithin(one: string, other: string, limit: number): number {
  if (Math.abs(one.length - other.length) > limit) return limit + 1;
  let row = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let at = 1; at <= one.length; at++) {
    const next = [at];
    let smallest = at;
    for (let place = 1; place <= other.length; place++) {
      const replaced = row[place - 1]! + Number(one[at - 1] !== other[place - 1]);
      const cost = Math.min(replaced, row[place]! + 1, next[place - 1]! + 1);
      next.push(cost);
      if (cost < smallest) smallest = cost;
    }
    if (smallest > limit) return limit + 1;
    row = next;
  }
  return Math.min(row[other.length]!, limit + 1);
}
