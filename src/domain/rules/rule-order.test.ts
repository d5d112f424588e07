import { describe, expect, it } from 'vitest';
import { endPosition, rulesToShift } from './rule-order.ts';

const placed = (...positions: number[]) =>
  positions.map((position) => ({ ruleId: `rule ${position}`, position }));

describe('endPosition', () => {
  it('is behind all others', () => {
    expect(endPosition([])).toBe(1);
    expect(endPosition(placed(4, 9, 2))).toBe(10);
  });
});

describe('rulesToShift', () => {
  it('moves nobody for a place that is free', () => {
    expect(rulesToShift(placed(1, 3), 2)).toEqual([]);
    expect(rulesToShift(placed(1, 3), 4)).toEqual([]);
  });

  it('moves who stands there, and those behind up to the first gap', () => {
    expect(rulesToShift(placed(1, 2, 3, 5, 6), 2)).toEqual(['rule 2', 'rule 3']);
    expect(rulesToShift(placed(3, 1, 2), 1)).toEqual(['rule 1', 'rule 2', 'rule 3']);
  });
});
