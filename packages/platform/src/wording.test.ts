import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { numberBetween, wholeBetween } from './wording.ts';

const firstText = (shape: z.ZodType, value: unknown) => shape.safeParse(value).error?.issues[0]?.message;

describe('texts of invalid values', () => {
  it.each([
    ['a missing field', z.object({ a: z.string() }), {}, 'required'],
    ['null for text', z.string(), null, 'must be text'],
    ['a number for text', z.string(), 5, 'must be text'],
    ['text for a number', z.number(), '5', 'must be a number'],
    ['NaN', z.number(), Number.NaN, 'must be a number'],
    ['a fraction', z.number().int(), 1.5, 'must be a whole number'],
    ['text for a boolean', z.boolean(), 'true', 'must be true or false'],
    ['text for a list', z.array(z.string()), 'a', 'must be a list'],
    ['a list for an object', z.object({}), [], 'must be an object'],
    ['a list for a record', z.record(z.string(), z.string()), [1], 'must be an object'],
    ['an unknown enum value', z.enum(['on', 'off']), 'yes', 'must be one of on, off'],
    ['another enum value', z.literal('on'), 'yes', 'must be on'],
    ['empty text', z.string().min(1), '', 'must not be empty'],
    ['short text', z.string().min(3), 'ab', 'must be at least 3 characters'],
    ['long text', z.string().max(3), 'abcd', 'must be at most 3 characters'],
    ['an empty list', z.array(z.string()).min(1), [], 'must have at least 1 entry'],
    ['a long list', z.array(z.string()).max(2), ['a', 'b', 'c'], 'must have at most 2 entries'],
    ['a small number', z.number().min(2), 1, 'must be at least 2'],
    ['a large number', z.number().max(2), 3, 'must be at most 2'],
    ['a number outside of its range', numberBetween(0, 1), 2, 'must be between 0 and 1'],
    ['a whole number outside of its range', wholeBetween(1, 9), 10, 'must be a whole number between 1 and 9'],
    ['a fraction within the range', wholeBetween(1, 9), 1.5, 'must be a whole number between 1 and 9'],
    ['an invalid URL', z.url(), 'shop', 'must be a URL such as https://id.example.com'],
    ['an unknown field', z.strictObject({}), { a: 1 }, 'unknown field "a"'],
    ['an error with its own text', z.string().max(1, 'own text'), 'ab', 'own text'],
  ])('%s', (_name, shape, value, text) => {
    expect(firstText(shape as z.ZodType, value)).toBe(text);
  });
});
