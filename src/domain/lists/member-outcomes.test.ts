import { describe, expect, it } from 'vitest';
import { outcomesOf } from './member-outcomes.ts';

describe('the outcomes of a call', () => {
  const known = [
    { accountId: 'b', isMember: true },
    { accountId: 'a', isMember: false },
  ];
  const outcomeOf = ({ isMember }: { isMember: boolean }) => (isMember ? 'ALREADY_ON_LIST' : 'ADDED');

  it('are one for each distinct id, in the order sent', () => {
    expect(outcomesOf(['a', 'x', 'b', 'a', 'x'], known, outcomeOf)).toEqual([
      { accountId: 'a', outcome: 'ADDED' },
      { accountId: 'x', outcome: 'NOT_FOUND' },
      { accountId: 'b', outcome: 'ALREADY_ON_LIST' },
    ]);
  });

  it('are limited to the requested ones', () => {
    expect(outcomesOf([], known, outcomeOf)).toEqual([]);
  });

  it('do not treat properties of Object as ids', () => {
    expect(outcomesOf(['__proto__', 'constructor'], known, outcomeOf)).toEqual([
      { accountId: '__proto__', outcome: 'NOT_FOUND' },
      { accountId: 'constructor', outcome: 'NOT_FOUND' },
    ]);
  });
});
