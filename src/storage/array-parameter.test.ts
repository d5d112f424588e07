import { describe, expect, it } from 'vitest';
import { arrayText, withArrayTexts } from './array-parameter.ts';

describe('an array as a parameter', () => {
  it('quotes and escapes only what needs it', () => {
    expect(arrayText([])).toBe('{}');
    expect(arrayText([1, -0.5, true, 10n, null, undefined])).toBe('{1,-0.5,true,10,NULL,NULL}');
    expect(arrayText(['0198c0de-0000-7000-8000-000000000001', 'a.b', ''])).toBe(
      '{0198c0de-0000-7000-8000-000000000001,a.b,""}',
    );
    expect(arrayText(['NULL', 'null', 'a,b', '{}', 'a b', '"', '\\', 'é'])).toBe(
      '{"NULL","null","a,b","{}","a b","\\"","\\\\","é"}',
    );
    expect(arrayText([Buffer.from('00ff', 'hex'), new Uint8Array([1])])).toBe('{"\\\\x00ff","\\\\x01"}');
    expect(arrayText([new Date(0), new Date('+010000-01-01T00:00:00Z')])).toBe(
      '{1970-01-01T00:00:00.000Z,010000-01-01T00:00:00.000Z}',
    );
    expect(arrayText([[1], [2]])).toBe('{{1},{2}}');
    expect(arrayText([{ a: '"' }])).toBe('{"{\\"a\\":\\"\\\\\\"\\"}"}');
  });

  it('is rejected with an invalid time, and leaves other values as they are', () => {
    expect(() => arrayText([new Date(Number.NaN)])).toThrow(RangeError);
    const time = new Date(0);
    expect(withArrayTexts(['a', 1, time, ['b']])).toEqual(['a', 1, time, '{b}']);
  });
});
