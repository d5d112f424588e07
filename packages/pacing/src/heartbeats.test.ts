import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Heartbeats } from './heartbeats.ts';

describe('heartbeats', () => {
  it('are due once in each period, the first time after a full period', () => {
    const PERIOD_TICKS = 120;
    const opened = fc.array(fc.nat(400), { minLength: 1, maxLength: 50 });
    fc.assert(
      fc.property(opened, (ticksOfOpening) => {
        const beats = new Heartbeats<number>(PERIOD_TICKS * 100);
        const due = ticksOfOpening.map(() => [] as number[]);
        for (let tick = 0; tick < 800; tick += 1) {
          if (tick > 0) for (const member of beats.tick()) due[member]!.push(tick);
          for (const [member, at] of ticksOfOpening.entries()) if (at === tick) beats.add(member);
        }
        for (const [member, at] of ticksOfOpening.entries())
          expect(due[member]).toEqual(
            Array.from(
              { length: Math.floor((799 - at) / PERIOD_TICKS) },
              (_, n) => at + (n + 1) * PERIOD_TICKS,
            ),
          );
      }),
    );
  });

  it('stop when their member is removed, also while it is due', () => {
    const beats = new Heartbeats<string>(300);
    for (const member of ['a', 'b', 'c']) beats.add(member);
    expect([beats.size, beats.tickMs]).toEqual([3, 100]);
    for (let tick = 1; tick < 3; tick += 1) expect([...beats.tick()]).toEqual([]);
    const due: string[] = [];
    for (const member of beats.tick()) {
      due.push(member);
      beats.delete('a');
      beats.delete('b');
    }
    expect(due).toEqual(['a', 'c']);
    expect(beats.all()).toEqual(['c']);
  });

  it('are due at every tick when the period is short', () => {
    const beats = new Heartbeats<string>(40);
    beats.add('a');
    expect(beats.tickMs).toBe(40);
    expect([...beats.tick(), ...beats.tick()]).toEqual(['a', 'a']);
  });
});
