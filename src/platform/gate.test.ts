import { describe, expect, it } from 'vitest';
import { createGate } from './gate.ts';

describe('a gate', () => {
  it('lets so many through at once, in the order of coming', async () => {
    const gate = createGate(2);
    const begun: number[] = [];
    const ends = Array.from({ length: 5 }, () => Promise.withResolvers<void>());
    const works = ends.map(({ promise }, index) =>
      gate(async () => {
        begun.push(index);
        await promise;
        return index;
      }),
    );
    await Promise.resolve();
    expect(begun).toEqual([0, 1]);
    ends[1]!.resolve();
    expect(await works[1]).toBe(1);
    expect(begun).toEqual([0, 1, 2]);
    for (const { resolve } of ends) resolve();
    expect(await Promise.all(works)).toEqual([0, 1, 2, 3, 4]);
    expect(begun).toEqual([0, 1, 2, 3, 4]);
  });

  it('goes on after work that failed', async () => {
    const gate = createGate(1);
    await expect(gate(() => Promise.reject(new Error('broken')))).rejects.toThrow('broken');
    expect(await gate(async () => 'whole')).toBe('whole');
  });
});
