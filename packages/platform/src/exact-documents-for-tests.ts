import fc from 'fast-check';

/** A JSON object with values that JavaScript changes, or drops, when it parses and writes them. */
export const EXACT =
  '{"big":9007199254740993,"max":18446744073709551615,"over":1e400,"tenth":0.1,"one":1.0,"zero":-0,' +
  '"exponent":1E5,"long":123456789012345678901234567890.5,"small":1e-400,"plain":7,' +
  '"__proto__":{"polluted":1.50,"__proto__":[2.0,{"constructor":-0.0}]},"constructor":{"prototype":1.0},' +
  '"toString":"text","hasOwnProperty":null,"rawJSON":"1","nested":{"rawJSON":"2","list":[1,1.0,[1.00]]}}';

const TRICKY_NUMBERS = [
  ...['0', '7', '-1', '0.1', '2.5e-8', '1e21', '1.7976931348623157e308'],
  ...['9007199254740993', '-9223372036854775808', '18446744073709551615', '1e400', '-1E-400', '1.0', '1.50'],
  ...[
    '-0',
    '-0.0',
    '0e5',
    '1E5',
    '1e+5',
    '123456789012345678901234567890.5',
    '0.1000000000000000055511151231',
  ],
];

const TRICKY_KEYS = [
  '__proto__',
  'constructor',
  'toString',
  'valueOf',
  'hasOwnProperty',
  'rawJSON',
  'toJSON',
];

const digits = fc.stringMatching(/^[1-9][0-9]{0,24}$/);
const decimals = fc.stringMatching(/^[0-9]{1,20}$/);
const numbers = fc.oneof(
  fc.constantFrom(...TRICKY_NUMBERS),
  fc.tuple(digits, decimals).map(([whole, part]) => `${whole}.${part}`),
  fc.tuple(digits, fc.integer({ min: -300, max: 300 })).map(([whole, power]) => `-${whole}e${power}`),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => JSON.stringify(value)),
);
const texts = fc
  .string({ maxLength: 8, unit: 'grapheme' })
  .filter((text) => !text.includes('\0'))
  .map((text) => JSON.stringify(text));
/** Names are keys of objects in GraphQL documents too. */
const keys = fc.oneof(fc.constantFrom(...TRICKY_KEYS), fc.stringMatching(/^[a-zA-Z_][a-zA-Z0-9_]{0,8}$/));

/** Texts of JSON objects of at most six levels. */
export const exactDocuments: fc.Arbitrary<string> = fc.letrec<{ value: string; object: string }>((tie) => ({
  object: fc
    .uniqueArray(fc.tuple(keys, tie('value')), { selector: ([key]) => key, maxLength: 5 })
    .map((entries) => `{${entries.map(([key, value]) => `"${key}":${value}`).join(',')}}`),
  value: fc.oneof(
    { maxDepth: 5 },
    numbers,
    texts,
    fc.constantFrom('true', 'false', 'null'),
    tie('object'),
    fc.array(tie('value'), { maxLength: 4 }).map((values) => `[${values.join(',')}]`),
  ),
})).object;
