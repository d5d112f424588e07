import { describe, expect, it } from 'vitest';
import { endPosition, rulesToShift } from './rule-order.ts';

const placed = (...positions: number[]) =>
  positions.map((position) => ({ ruleId: `rule ${position}`, position }));

describe('endPosition', () => {
  it('is after all other positions', () => {
    expect(endPosition([])).toBe(1);
    expect(endPosition(placed(4, 9, 2))).toBe(10);
  });
});

describe('rulesToShift', () => {
  it('shifts no rule for a free position', () => {
    expect(rulesToShift(placed(1, 3), 9, 2).ruleIds).toEqual([]);
    expect(rulesToShift(placed(1, 3), 2, 4).ruleIds).toEqual([]);
  });

  it('shifts the rule at the position and those after it up to the first gap', () => {
    expect(rulesToShift(placed(1, 2, 3, 5, 6), 9, 2)).toEqual({ ruleIds: ['rule 2', 'rule 3'], by: 1 });
    expect(rulesToShift(placed(3, 1, 2), 4, 1)).toEqual({ ruleIds: ['rule 1', 'rule 2', 'rule 3'], by: 1 });
  });

  it('shifts back the rules between the old and a later position', () => {
    expect(rulesToShift(placed(2, 3, 4), 1, 3)).toEqual({ ruleIds: ['rule 3', 'rule 2'], by: -1 });
    expect(rulesToShift(placed(3, 4, 6), 1, 4)).toEqual({ ruleIds: ['rule 4', 'rule 3'], by: -1 });
  });
});
