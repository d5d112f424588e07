import { existsSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { ALL_CODES, HISTORY_CODES, SIGNAL_CODES } from './signal-codes.ts';

test('each code has a file, a test, a description, its inputs and its weights', () => {
  for (const { code, describes, needs, weights } of ALL_CODES) {
    const file = code.replaceAll('_', '-');
    expect(existsSync(new URL(`${file}.ts`, import.meta.url)), code).toBe(true);
    expect(existsSync(new URL(`${file}.test.ts`, import.meta.url)), code).toBe(true);
    // Plain text: commands and pages print it.
    expect(describes, code).toMatch(/^[A-Z][^`*]{20,}\.$/);
    expect(needs.length, code).toBeGreaterThan(5);
    expect(Object.keys(weights).length, code).toBeGreaterThan(0);
    for (const weight of Object.values(weights)) {
      expect(weight, code).toBeGreaterThan(0);
      expect(weight, code).toBeLessThanOrEqual(1);
    }
  }
});

test('no code is evaluated twice, and the page lists every code', () => {
  expect(new Set(SIGNAL_CODES).size).toBe(SIGNAL_CODES.length);
  expect(new Set(HISTORY_CODES).size).toBe(HISTORY_CODES.length);
  const page = readFileSync(new URL('../../../../docs/signals.md', import.meta.url), 'utf8');
  for (const { code, describes } of ALL_CODES) {
    expect(page).toContain(`| \`${code}\` | ${describes} |`);
  }
});
