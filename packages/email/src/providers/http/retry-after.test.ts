import { expect, test } from 'vitest';
import { pauseAfter } from './retry-after.ts';

const NOW = new Date('2026-11-22T12:00:00Z');
const pause = (headers: Record<string, string>) => pauseAfter((name) => headers[name] ?? null, NOW);

test.each<[Record<string, string>, number]>([
  [{ 'retry-after': '2' }, 2000],
  [{ 'retry-after': ' 1.5 ' }, 1500],
  [{ 'retry-after': '0' }, 1000],
  [{ 'retry-after': '99999999' }, 3_600_000],
  [{ 'retry-after': 'Sun, 22 Nov 2026 12:00:30 GMT' }, 30_000],
  [{ 'retry-after': 'Sun, 22 Nov 2026 11:00:00 GMT' }, 1000],
  [{ 'retry-after': 'soon' }, 60_000],
  [{ 'retry-after': 'soon', 'x-ratelimit-reset': String(NOW.getTime() / 1000 + 90) }, 90_000],
  [{ 'x-ratelimit-reset': '60' }, 60_000],
  [{}, 60_000],
])('the pause after %j is %i ms', (headers, ms) => {
  expect(pause(headers)).toBe(ms);
});
