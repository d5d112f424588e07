import { csvFields } from '@vouchgraph/platform/csv';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { resultHeader, resultLine, textCell, uniqueNames } from './result-file.ts';

it.each([
  ['=1+1', "'=1+1"],
  ['+491234', "'+491234"],
  ['-2', "'-2"],
  ['@SUM(A1)', "'@SUM(A1)"],
  ['\t=1', "'\t'=1"],
  ['\r=1', `"'\r'=1"`],
  ['\tx', "'\tx"],
  ['＝1', "'＝1"],
  [' =1', "' =1"],
  ['x;=1', "x;'=1"],
  ['x; "=1"', `"x;' ""=1"""`],
  ['x\t+1|-1', "x\t'+1|'-1"],
  ['x\r\n@y', `"x\r\n'@y"`],
  ['a-b=c; d', 'a-b=c; d'],
  ['a,b', '"a,b"'],
  ['a "b"', '"a ""b"""'],
  ['=HYPERLINK("x")', `"'=HYPERLINK(""x"")"`],
  ['plain', 'plain'],
])('the cell %j is written as %j', (text, written) => {
  expect(textCell(text)).toBe(written);
});

it('no cell starts like a formula, and all other cells are unchanged', () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: 'binary' }), { minLength: 1 }), (fields) => {
      const row = { fields, line: 2, status: null, assessment: null, disposable: null, error: '' };
      const read = csvFields(resultLine(row, fields.length).slice(0, -2));
      expect(read).toHaveLength(fields.length + 11);
      for (const [index, field] of fields.entries()) {
        expect(read[index]).not.toMatch(/^[=+\-@\t\r\n]/);
        const isFormula = /(^|[;|\t\r\n])[\s"\u200b]*[=+\-@＝＋－＠]|^[\t\r\n]/;
        if (!isFormula.test(field)) expect(read[index]).toBe(field);
      }
    }),
  );
});

it('no part of a cell starts like a formula for a program that uses another delimiter', () => {
  const text = fc.array(fc.constantFrom(...'=+-@;|\t\r\n," ab')).map((characters) => characters.join(''));
  fc.assert(
    fc.property(text, (cell) => {
      for (const part of textCell(cell).split(/[;|\t\r\n]/)) expect(part).not.toMatch(/^[ "]*[=+\-@]/);
    }),
  );
});

it('added columns have names that the input does not have', () => {
  expect(uniqueNames(['email', 'Decision', 'decision_2', 'line']).slice(4)).toEqual([
    'email_status',
    'decision_3',
    'risk_score',
    'domain_type',
    'disposable',
    'send_recommendation',
    'trust_signals',
    'risk_signals',
    'normalized',
    'error',
    'line_2',
  ]);
  expect(resultHeader(['=x'])).toMatch(/^'=x,email_status,/);
});

it('columns of identity intelligence come last and are empty without a result', () => {
  const header = resultHeader(['name_match'], { identity: true });
  expect(header).toMatch(/,line,match_risk_score,name_match_2,phone_match,country_match\r\n$/);
  const row = { fields: ['a'], line: 7, status: null, assessment: null, disposable: null, error: '' };
  expect(csvFields(resultLine(row, 1, { identity: true }).slice(0, -2))).toHaveLength(
    csvFields(header.slice(0, -2)).length,
  );
});

it('a row has as many cells as the header', () => {
  const row = {
    fields: ['a'],
    line: 7,
    status: 'error' as const,
    assessment: null,
    disposable: null,
    error: 'email_missing',
  };
  expect(resultLine(row, 3)).toBe('a,,,error,,,,,,,,,email_missing,7\r\n');
  expect(resultLine({ ...row, fields: ['a', 'b'] }, 1)).toBe('a,error,,,,,,,,,email_missing,7\r\n');
});
