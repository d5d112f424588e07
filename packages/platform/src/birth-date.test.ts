import { expect, test } from 'vitest';
import { ageAt, birthDateProblem, isFutureBirthDate } from './birth-date.ts';

const NOW = new Date('2026-05-10T12:00:00Z');

test.each(['1990-01-31', '2000-02-29', '1900-01-01', '2026-05-10'])('%s is accepted', (text) =>
  expect([birthDateProblem(text), isFutureBirthDate(text, NOW)]).toEqual([null, false]),
);

test.each(['2026-05-11', '2100-01-01', '9999-12-31'])('%s is in the future', (text) =>
  expect([birthDateProblem(text), isFutureBirthDate(text, NOW)]).toEqual([null, true]),
);

test.each([
  ['0000-01-01', 'must be an existing date in the format YYYY-MM-DD'],
  ['1899-12-31', 'must not be before 1900'],
  ['1990-02-30', 'must be an existing date in the format YYYY-MM-DD'],
  ['1900-02-29', 'must be an existing date in the format YYYY-MM-DD'],
  ['1990-13-01', 'must be an existing date in the format YYYY-MM-DD'],
  ['1990-00-10', 'must be an existing date in the format YYYY-MM-DD'],
  ['1990-1-3', 'must be a date in the format YYYY-MM-DD'],
  ['31.01.1990', 'must be a date in the format YYYY-MM-DD'],
  ['19900131', 'must be a date in the format YYYY-MM-DD'],
  ['1990-01-31T00:00:00Z', 'must be a date in the format YYYY-MM-DD'],
  ['1990-01-31\n', 'must be a date in the format YYYY-MM-DD'],
  ['１９９０-01-31', 'must be a date in the format YYYY-MM-DD'],
])('%j: %s', (text, problem) => expect(birthDateProblem(text)).toBe(problem));

test.each([
  ['1990-05-10', 36],
  ['1990-05-11', 35],
  ['1990-06-01', 35],
  ['2026-05-10', 0],
  ['2026-05-11', 0],
])('a person born on %s: %s years', (born, age) => expect(ageAt(born, NOW)).toBe(age));

test('the day that begins within ten minutes is not in the future', () => {
  expect(isFutureBirthDate('2026-05-11', new Date('2026-05-10T23:49:59Z'))).toBe(true);
  expect(isFutureBirthDate('2026-05-11', new Date('2026-05-10T23:50:00Z'))).toBe(false);
});

test('a person born on 29 February turns a year older on 1 March of a common year', () => {
  expect(ageAt('2004-02-29', new Date('2025-02-28T23:59:59Z'))).toBe(20);
  expect(ageAt('2004-02-29', new Date('2025-03-01T00:00:00Z'))).toBe(21);
});
