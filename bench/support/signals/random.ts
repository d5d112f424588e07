/** Random draws that are equal for equal seeds. */
export type Random = {
  /** From 0 to below 1. */
  share(): number;
  chance(probability: number): boolean;
  between(low: number, high: number): number;
  /** A whole number, both ends included. */
  whole(low: number, high: number): number;
  pick<T>(values: readonly T[]): T;
  /** One of the values, with the probability of its weight. */
  weighted<T>(values: readonly (readonly [value: T, weight: number])[]): T;
};

/** The generator is mulberry32 (Tommy Ettinger, public domain). */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const share = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const between = (low: number, high: number) => low + share() * (high - low);
  const whole = (low: number, high: number) => Math.floor(between(low, high + 1));
  return {
    share,
    chance: (probability) => share() < probability,
    between,
    whole,
    pick: (values) => values[whole(0, values.length - 1)]!,
    weighted(values) {
      let left = share() * values.reduce((sum, [, weight]) => sum + weight, 0);
      for (const [value, weight] of values) {
        left -= weight;
        if (left < 0) return value;
      }
      return values.at(-1)![0];
    },
  };
}
