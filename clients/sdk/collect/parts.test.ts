import { describe, expect, test } from 'vitest';
import { manualTimers } from '../../../test/support/sdk/timers.ts';
import type { Facts } from '../facts.ts';
import { collectParts } from './parts.ts';

function collection() {
  const timers = manualTimers();
  const late: Facts[] = [];
  return { timers, late, options: { deadlineMs: 1500, timers, onLate: (facts: Facts) => late.push(facts) } };
}

describe('collecting parts', () => {
  test('merges the facts of all parts', async () => {
    const { options } = collection();
    const parts = [
      () => ({ checks: { locale: 'fr' } }),
      async () => ({ checks: { hover: true }, device: { cpu_cores: 8 } }),
    ];
    expect(await collectParts(parts, options)).toEqual({
      checks: { locale: 'fr', hover: true },
      device: { cpu_cores: 8 },
    });
  });

  test('skips a part that throws or rejects', async () => {
    const { options } = collection();
    const parts = [
      () => {
        throw new Error('forbidden');
      },
      () => Promise.reject(new Error('gone')),
      () => ({ checks: { locale: 'fr' } }),
    ];
    expect(await collectParts(parts, options)).toEqual({ checks: { locale: 'fr' } });
  });

  test('does not wait for a late part and reports its facts when they arrive', async () => {
    const { options, timers, late } = collection();
    let comeLate = (_: Facts) => {};
    const slow = new Promise<Facts>((resolve) => {
      comeLate = resolve;
    });
    const collected = collectParts([() => slow, () => ({ checks: { locale: 'fr' } })], options);
    // The fast part needs a few turns of the event loop.
    await new Promise((resolve) => setImmediate(resolve));
    timers.advance(1500);
    expect(await collected).toEqual({ checks: { locale: 'fr' } });
    expect(late).toEqual([]);
    comeLate({ checks: { worker: {} } });
    await new Promise((resolve) => setImmediate(resolve));
    expect(late).toEqual([{ checks: { worker: {} } }]);
  });
});
