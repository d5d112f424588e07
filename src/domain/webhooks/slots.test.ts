import { describe, expect, it } from 'vitest';
import { PER_ENDPOINT, Slots } from './slots.ts';

describe('slots', () => {
  it('give an endpoint a few at a time', () => {
    const slots = new Slots();
    const taken = Array.from({ length: PER_ENDPOINT }, () => slots.take('a'));
    slots.take('b');
    expect(slots.full()).toEqual(['a']);
    taken[0]!.free();
    expect(slots.full()).toEqual([]);
  });

  it('are 64 for those that answer, whoever hangs', () => {
    const slots = new Slots();
    const taken = Array.from({ length: 64 }, (_, index) => slots.take(`hanging-${index}`));
    expect(slots.room).toBe(0);
    for (const slot of taken) slot.markSlow();
    expect(slots.room).toBe(64);
    expect(slots.busy).toBe(64);
    for (const slot of taken) slot.free();
    expect(slots.busy).toBe(0);
  });

  it('are given to no endpoint that took long while 128 of these are under way, until it answers quickly', () => {
    const slots = new Slots();
    const taken = Array.from({ length: 128 }, (_, index) => slots.take(`hanging-${index}`));
    for (const slot of taken) slot.markSlow();
    const late = slots.take('late');
    late.markSlow();
    expect(slots.room).toBe(63);
    expect(slots.full()).toHaveLength(129);
    late.free();
    slots.take('late').free();
    expect(slots.full()).not.toContain('late');
    taken[0]!.free();
    expect(slots.full()).toEqual([]);
    expect(slots.room).toBe(64);
  });
});
