import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { readExclusion, readFlag } from './boolean-parameters.ts';

const flag = (query: string) => readFlag(new URLSearchParams(query), 'id');
const excludes = (query: string) => readExclusion(new URLSearchParams(query), 'excludePII');

/** A word in any mixture of cases. */
const inAnyCase = (...words: string[]) => fc.mixedCase(fc.constantFrom(...words));
const on = inAnyCase('true', '1', 'yes');
const off = inAnyCase('false', '0', 'no');
const other = fc.string().filter((text) => !/^(true|false|1|0|yes|no|)$/i.test(text));
const encoded = (name: string, values: readonly string[]) =>
  new URLSearchParams(values.map((value) => [name, value])).toString();

describe('a boolean parameter', () => {
  it('is false when it is absent or empty', () => {
    for (const query of ['', 'id', 'id=', 'id&id=', 'ID=true', 'other=true']) expect(flag(query)).toBe(false);
  });

  it('has the meaning of its words, ignoring empty ones, for any number of values', () => {
    fc.assert(
      fc.property(fc.array(on, { minLength: 1 }), fc.array(off, { minLength: 1 }), (ons, offs) => {
        expect(flag(encoded('id', ['', ...ons, '']))).toBe(true);
        expect(flag(encoded('id', ['', ...offs, '']))).toBe(false);
        expect(() => flag(encoded('id', [...ons, ...offs]))).toThrow(/^id: must have the same value/);
      }),
    );
  });

  it('is rejected by name for any other word', () => {
    fc.assert(
      fc.property(fc.array(on), other, (ons, word) => {
        expect(() => flag(encoded('id', [...ons, word]))).toThrow(
          /^id: must be true, false, 1, 0, yes or no$/,
        );
      }),
    );
  });
});

describe('an exclusion', () => {
  it('is off only when it is absent or each of its values means off', () => {
    expect(excludes('')).toBe(false);
    expect(excludes('exclude=true&PII=true')).toBe(false);
    fc.assert(
      fc.property(inAnyCase('excludePII'), fc.array(off, { minLength: 1 }), (name, offs) => {
        expect(excludes(encoded(name, offs))).toBe(false);
      }),
    );
  });

  it('is read under the names that HTTP clients use for members of a list', () => {
    for (const query of ['excludePII[]=true', 'excludePII[0]=false&excludePII[1]=true', 'EXCLUDEPII%5B%5D'])
      expect(excludes(query)).toBe(true);
    expect(excludes('excludePII[]=false&excludePII[]=no')).toBe(false);
    expect(excludes('excludePII[]x=true&[excludePII]=true&excludePIIs[]=true')).toBe(false);
  });

  it('is on for any other value, beside any others, under the name in any case', () => {
    fc.assert(
      fc.property(
        inAnyCase('excludePII'),
        fc.array(off),
        fc.oneof(on, other, fc.constant('')),
        fc.array(off),
        (name, before, word, after) => {
          expect(excludes(encoded(name, [...before, word, ...after]))).toBe(true);
        },
      ),
    );
  });
});
