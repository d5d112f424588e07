import fc from 'fast-check';
import { expect, test } from 'vitest';
import { csvFields } from './read-table.ts';

test('fields are those that were written, however they are quoted', () => {
  const field = fc.record({
    text: fc.string({ unit: fc.constantFrom('a', '"', ',', ' ', 'é'), maxLength: 8 }),
    isQuoted: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(field, { minLength: 1, maxLength: 6 }), (fields) => {
      const line = fields
        .map(({ text, isQuoted }) =>
          isQuoted || text.includes(',') || text.startsWith('"') ? `"${text.replaceAll('"', '""')}"` : text,
        )
        .join(',');
      expect(csvFields(line, ',')).toEqual(fields.map(({ text }) => text));
    }),
  );
});

test.each(['"a', 'a,"b', '"a"b', '"a""'])('%s is not a row', (line) => {
  expect(csvFields(line, ',')).toBeNull();
});
