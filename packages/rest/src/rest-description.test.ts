import { describe, expect, it } from 'vitest';
import { limitsOf, restDescription } from './rest-description.ts';

describe('a description on REST', () => {
  it('has the documented form of an unknown value', () => {
    expect(restDescription('Name; null when unknown.', 'empty')).toBe('Name; empty when unknown.');
    expect(restDescription('Name. Null without one.', 'absent')).toBe('Name. Absent without one.');
    expect(restDescription('Age; null when unknown.', 'null')).toBe('Age; null when unknown.');
    expect(restDescription('Score, 0.5 to 1. Null until it is complete. By ids.', 'never')).toBe(
      'Score, 0.5 to 1. By ids.',
    );
  });

  it('has its keys and words without errors, which the operation lists', () => {
    const names = new Map([
      ['lastSeen', 'last_seen'],
      ['FAKE', 'Fake'],
    ]);
    const description =
      'The day before lastSeen, unless FAKE; iPhone. Errors: input.invalid, then null. See also.';
    expect(restDescription(description, 'null', names)).toBe(
      'The day before last_seen, unless Fake; iPhone. See also.',
    );
  });
});

describe('limits of a number', () => {
  it.each([
    ['Charge, 0 to 1; null when unknown.', { minimum: 0, maximum: 1 }],
    ['Certainty, 0.5 to 1.', { minimum: 0.5, maximum: 1 }],
    ['Degrees north, -90 to 90.', { minimum: -90, maximum: 90 }],
    ['Score, -1 (trust) to 1 (risk); 0 is neutral.', { minimum: -1, maximum: 1 }],
    ['Number of accounts: 0 to 1,000.', { minimum: 0, maximum: 1000 }],
    ['Number in the day, 0 or more.', { minimum: 0 }],
    ['Number of clicks.', { minimum: 0 }],
    ['Memory in MB.', {}],
  ])('are the documented ones: %s', (description, limits) => {
    expect(limitsOf(description)).toEqual(limits);
  });
});
