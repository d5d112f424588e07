/** Numbers that look drawn and are the same for the same seed (mulberry32, Tommy Ettinger, public domain). */
export type Random = {
  /** From 0 to 1. */
  share(): number;
  chance(probability: number): boolean;
  between(low: number, high: number): number;
  pick<T>(values: readonly T[]): T;
};

export function seededRandom(seed: number): Random {
  let state = seed >>> 0;
  const share = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const between = (low: number, high: number) => Math.floor(low + share() * (high - low + 1));
  return {
    share,
    chance: (probability) => share() < probability,
    between,
    pick: (values) => values[between(0, values.length - 1)]!,
  };
}
