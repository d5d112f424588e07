import { describe, expect, it } from 'vitest';
import { Budget } from './budget.ts';

let now = 0;
const budget = (perSecond: number, burst: number) => new Budget(perSecond, burst, () => now);

describe('a budget', () => {
  it('is full at first', () => {
    const one = budget(10, 50);
    one.spend(49);
    expect(one.waitMs()).toBe(0);
    one.spend(1);
    expect(one.waitMs()).toBe(100);
  });

  it('refills with time, up to the burst', () => {
    const one = budget(10, 50);
    one.spend(50);
    now += 99;
    expect(one.waitMs()).toBe(0);
    one.spend(1);
    expect(one.waitMs()).toBeGreaterThan(0);
    now += 3_600_000;
    one.spend(50);
    expect(one.waitMs()).toBe(100);
  });

  it('is paid back before more is spent, when it was overdrawn', () => {
    const one = budget(10, 50);
    one.spend(70);
    expect(one.waitMs()).toBe(2100);
    now += 2100;
    expect(one.waitMs()).toBe(0);
  });

  it('can be credited, up to the burst', () => {
    const one = budget(10, 50);
    one.spend(-5);
    one.spend(50);
    expect(one.waitMs()).toBeGreaterThan(0);
    one.spend(-1);
    expect(one.waitMs()).toBe(0);
  });

  it('of 0 per second is no limit', () => {
    const one = budget(0, 0);
    one.spend(1_000_000);
    expect(one.waitMs()).toBe(0);
  });

  it('wakes everyone who waits, in order', async () => {
    const one = new Budget(1000, 10);
    one.spend(20);
    const woken: number[] = [];
    await new Promise<void>((resolve) => {
      for (let n = 0; n < 10; n += 1)
        one.wait(() => {
          woken.push(n);
          if (woken.length === 10) resolve();
        });
    });
    expect(woken).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  });
});
