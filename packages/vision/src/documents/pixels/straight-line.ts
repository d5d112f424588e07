/** Line fitted to values at positions: first to all, then without those more than 2 away from the first line. */
export function straightLine(xs: readonly number[], values: readonly number[]): (x: number) => number {
  const first = leastSquares(xs, values);
  const near = xs
    .map((x, index) => ({ x, value: values[index]! }))
    .filter(({ x, value }) => Math.abs(first(x) - value) <= 2);
  if (near.length < xs.length / 2) return first;
  return leastSquares(
    near.map(({ x }) => x),
    near.map(({ value }) => value),
  );
}

function leastSquares(xs: readonly number[], values: readonly number[]): (x: number) => number {
  const n = xs.length;
  const meanX = xs.reduce((sum, x) => sum + x, 0) / n;
  const meanValue = values.reduce((sum, value) => sum + value, 0) / n;
  let spread = 0;
  let common = 0;
  for (const [index, x] of xs.entries()) {
    spread += (x - meanX) ** 2;
    common += (x - meanX) * (values[index]! - meanValue);
  }
  const slope = spread > 0 ? common / spread : 0;
  return (x) => meanValue + slope * (x - meanX);
}
