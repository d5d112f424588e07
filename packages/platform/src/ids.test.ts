import { describe, expect, it } from 'vitest';
import { firstIdAt, newId } from './ids.ts';

describe('firstIdAt', () => {
  it('separates earlier ids from those created at or after the time', () => {
    const moment = new Date('2026-03-01T12:00:00.000Z');
    const time = moment.getTime();
    const bound = firstIdAt(moment);
    for (let index = 0; index < 1000; index += 1) {
      expect(newId(time - 1) < bound).toBe(true);
      expect(newId(time) > bound).toBe(true);
    }
    expect(newId(time + 1_000_000) > bound).toBe(true);
    expect(firstIdAt(new Date(0))).toBe('00000000-0000-0000-0000-000000000000');
  });
});
