import { describe, expect, it } from 'vitest';
import { AppError, boundedMessage } from './errors.ts';

const LONG = 'x'.repeat(240_000);

describe('a message for the client', () => {
  it('keeps short quoted input', () => {
    const message = `account.email: "${'a'.repeat(100)}" must be one of ${Array.from({ length: 40 }, (_, index) => `"option${index}"`).join('|')}`;
    expect(boundedMessage(message)).toBe(message);
  });

  it.each([
    [`Cannot query field "${LONG}" on type "Query".`, /^Cannot query field "x{100}…" on type "Query"\.$/],
    [`${LONG}: required`, /^x{100}… required$/],
    [`"${'two words '.repeat(20_000)}" is unknown`, /^"(two words ){10}…" is unknown$/],
    [`Key "${'\\"'.repeat(1000)}" is there twice`, /^Key "(\\"){50}…" is there twice$/],
    [
      `Unrecognized keys: ${Array.from({ length: 40_000 }, (_, index) => `"k${index}"`).join(', ')}`,
      /^.{1000}…$/,
    ],
    [`"${LONG}`, /^"x{100}…"$/],
  ])('is truncated at 1,000 characters, and each name at 100 (%#)', (message, bounded) => {
    expect(boundedMessage(message)).toMatch(bounded);
  });

  it('is truncated for every error, and so is the path to the value', () => {
    const error = new AppError('input.invalid', 'invalid_input', `${LONG} is unknown`, {
      path: ['metadata', LONG, 1],
    });
    expect(error.message).toBe(`${'x'.repeat(100)}… is unknown`);
    expect(error.inputPath).toEqual(['metadata', `${'x'.repeat(100)}…`, 1]);
  });
});
