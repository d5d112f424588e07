import { expect, test } from 'vitest';
import { testLanguage } from '../../../test/support/rule-language.ts';
import type { Expression } from './expression.ts';
import { ExpressionError } from './expression-error.ts';

const isFirst = { field: 'session.is_first', op: 'eq', value: true } as const;
const isSimulated = { field: 'session.simulated', op: 'eq', value: true } as const;
const isBot = { field: 'session.bot', op: 'gt', value: 0.5 } as const;

test.each<[string, Expression]>([
  ['session.bot > 0.5', isBot],
  ['session.bot>0.5', isBot],
  ['  session.bot\n\t>\r\n0.5  ', isBot],
  ['account.num_sessions = 3', { field: 'account.num_sessions', op: 'eq', value: 3 }],
  ['account.num_sessions != 3', { field: 'account.num_sessions', op: 'ne', value: 3 }],
  ['account.num_sessions ≠ 3', { field: 'account.num_sessions', op: 'ne', value: 3 }],
  ['account.num_sessions >= 3', { field: 'account.num_sessions', op: 'ge', value: 3 }],
  ['account.num_sessions ≥ 3', { field: 'account.num_sessions', op: 'ge', value: 3 }],
  ['account.num_sessions < 3', { field: 'account.num_sessions', op: 'lt', value: 3 }],
  ['account.num_sessions <= 3', { field: 'account.num_sessions', op: 'le', value: 3 }],
  ['account.num_sessions ≤ 3', { field: 'account.num_sessions', op: 'le', value: 3 }],
  ['account.email.email_score < -0.25', { field: 'account.email.email_score', op: 'lt', value: -0.25 }],
  ['account.unique_devices.7_day > 2', { field: 'account.unique_devices.7_day', op: 'gt', value: 2 }],
  ['account.num_sessions IN [1, 2]', { field: 'account.num_sessions', op: 'in', value: [1, 2] }],
  ['account.country in ["de", \'FR\']', { field: 'account.country', op: 'in', value: ['de', 'FR'] }],
  ['account.country NOT IN ("DE")', { field: 'account.country', op: 'not_in', value: ['DE'] }],
  ['account.countries CONTAINS "DE"', { field: 'account.countries', op: 'contains', value: 'DE' }],
  ['account.email.domain contains "mail"', { field: 'account.email.domain', op: 'contains', value: 'mail' }],
  ['lists Matches List "vip"', { field: 'lists', op: 'matches_list', value: 'vip' }],
  ['account.group IS MISSING', { field: 'account.group', op: 'is_missing' }],
  ['account.group is present', { field: 'account.group', op: 'is_present' }],
  ['session.is_first', isFirst],
  ['session.is_first = true', isFirst],
  ['session.is_first != FALSE', { field: 'session.is_first', op: 'ne', value: false }],
  ['session.is_first IS MISSING', { field: 'session.is_first', op: 'is_missing' }],
  [
    String.raw`account.id = "a\"\\\/\b\f\n\r\t\u00e9"`,
    { field: 'account.id', op: 'eq', value: 'a"\\/\b\f\n\r\té' },
  ],
  [String.raw`account.id = 'it\'s "x"'`, { field: 'account.id', op: 'eq', value: 'it\'s "x"' }],
  ['session.connection_type = "ISP"', { field: 'session.connection_type', op: 'eq', value: 'ISP' }],
  // A sequence of one operator is one node; parentheses keep their content separate.
  ['session.is_first AND session.simulated and session.bot > 0.5', { and: [isFirst, isSimulated, isBot] }],
  ['session.is_first OR session.simulated or session.bot > 0.5', { or: [isFirst, isSimulated, isBot] }],
  [
    '(session.is_first AND session.simulated) AND session.bot > 0.5',
    { and: [{ and: [isFirst, isSimulated] }, isBot] },
  ],
  [
    'session.is_first OR session.simulated AND session.bot > 0.5',
    { or: [isFirst, { and: [isSimulated, isBot] }] },
  ],
  [
    '(session.is_first OR session.simulated) AND session.bot > 0.5',
    { and: [{ or: [isFirst, isSimulated] }, isBot] },
  ],
  ['NOT session.is_first AND session.simulated', { and: [{ not: isFirst }, isSimulated] }],
  ['NOT (session.is_first AND session.simulated)', { not: { and: [isFirst, isSimulated] } }],
  ['NOT session.bot > 0.5', { not: isBot }],
  ['not not session.is_first', { not: { not: isFirst } }],
  ['(((session.is_first)))', isFirst],
])('parses %s', (text, expression) => {
  expect(testLanguage.parse(text)).toEqual(expression);
});

test('the name of a list is stored as the catalogue reads it', () => {
  const stored = { field: 'lists', op: 'matches_list', value: 'caf\u00e9' };
  expect(testLanguage.parse('lists MATCHES LIST "cafe\u0301"')).toEqual(stored);
});

/** The error is at ▲. */
test.each<[string, RegExp]>([
  // Fields.
  ['▲sesion.bot > 1', /^Unknown field "sesion.bot". Did you mean session.bot\?$/],
  ['session.is_first AND ▲vpn', /Did you mean session.risk_signals.vpn\?$/],
  ['▲Session.Bot > 1', /Did you mean session.bot\?$/],
  ['▲constructor = 1', /^Unknown field "constructor"$/],
  ['▲session.__proto__ = 1', /^Unknown field "session.__proto__"/],
  ['▲AND session.is_first', /^Expected a field name, NOT or \(, found "AND"$/],
  ['▲"a" = account.id', /^Expected a field name/],
  ['session.is_first OR ▲', /^Expected a field name, NOT or \(, found the end$/],
  // Values.
  [
    'session.bot > ▲"x"',
    /^Field "session.bot" is a number \(0 to 1\): expected a number, found the string "x"$/,
  ],
  ['session.bot > ▲true', /expected a number, found true$/],
  ['account.id = ▲5', /^Field "account.id" is a string: expected a string, found 5$/],
  [
    'session.is_first = ▲"yes"',
    /^Field "session.is_first" is true or false: expected true or false, found the string "yes"$/,
  ],
  ['account.id IN ["a", ▲2]', /expected a string, found 2$/],
  ['account.num_sessions NOT IN [1, ▲"2"]', /expected a number, found the string "2"$/],
  ['account.countries CONTAINS ▲5', /expected a string, found 5$/],
  ['lists MATCHES LIST ▲7', /expected a string, found 7$/],
  ['lists MATCHES LIST ▲"a/b"', /^"a\/b" is not the name of a list: must not contain \/$/],
  ['account.id = ▲""', /^String must not be empty: use IS MISSING/],
  ['account.id = ▲x', /^Expected a value: put strings in quotes, such as "x"$/],
  [
    'session.bot > ▲account.bot',
    /^account.bot is a field: compare a field with a value, not with another field$/,
  ],
  ['session.bot > ▲', /^Expected a value, found the end$/],
  ['session.bot > ▲)', /^Expected a value, found "\)"$/],
  ['session.bot > ▲AND', /^Expected a value, found "AND"$/],
  // Closed enumerations and countries.
  ['session.source = ▲"fax"', /^"fax" is not a value of field "session.source": use web, ios or android$/],
  ['session.source IN ["web", ▲"fax"]', /^"fax" is not a value/],
  ['verification.risk_flags CONTAINS ▲"repeat_nose"', /^"repeat_nose" is not a value .* repeat_face/],
  ['account.country = ▲"UK"', /^"UK" is not a two-letter country code: use GB$/],
  ['account.countries CONTAINS ▲"Germany"', /^"Germany" is not a two-letter country code/],
  ['account.country = ▲"ß"', /^"ß" is not a two-letter country code/],
  // Numbers outside the range of the field.
  ['account.account_score > ▲70', /^70 is out of range: field "account.account_score" is 0 to 1$/],
  ['session.bot IN [0.5, ▲-1]', /^-1 is out of range: field "session.bot" is 0 to 1$/],
  ['account.num_sessions < ▲-2', /^-2 is out of range: field "account.num_sessions" is 0 or more$/],
  [
    'account.accounts_linked > ▲1501',
    /^1501 is out of range: field "account.accounts_linked" is 0 to 1,500$/,
  ],
  // Operators.
  [
    'account.country ▲> "DE"',
    /^Field "account.country" is a string and does not support >: use =, !=, IN, NOT IN, CONTAINS, IS/,
  ],
  [
    'session.is_first ▲IN [true]',
    /^Field "session.is_first" is true or false and does not support IN: use =, !=, IS/,
  ],
  ['session.bot ▲CONTAINS 1', /does not support CONTAINS/],
  [
    'account.countries ▲= "DE"',
    /^Field "account.countries" is a list of strings and does not support =: use CONTAINS, IS/,
  ],
  ['account.countries ▲MATCHES LIST "vip"', /does not support MATCHES LIST: use CONTAINS/],
  ['lists ▲NOT IN ["vip"]', /does not support NOT IN: use MATCHES LIST, IS MISSING or IS PRESENT/],
  ['account.id ▲MATCHES LIST "x"', /does not support MATCHES LIST/],
  ['session.bot▲', /^Field "session.bot" is a number \(0 to 1\) and needs an operator: =, /],
  ['(session.bot▲)', /needs an operator/],
  ['session.bot ▲0.5', /^Expected an operator \(=, .*\) after session.bot, found "0.5"$/],
  [
    'session.is_first ▲true',
    /^Expected an operator \(=, !=, IS MISSING or IS PRESENT\) after session.is_first/,
  ],
  ['account.id NOT ▲"a"', /^Expected IN after NOT, found "a"$/],
  ['lists MATCHES ▲"vip"', /^Expected LIST after MATCHES, found "vip"$/],
  ['account.id IS ▲NOT MISSING', /^Expected MISSING or PRESENT after IS, found "NOT"$/],
  // Structure.
  ['▲', /^Expression must contain at least one condition$/],
  ['  ▲', /^Expression must contain at least one condition$/],
  ['session.is_first ▲session.simulated', /Expected an operator/],
  [
    'session.bot > 1 ▲session.simulated',
    /^Expected AND, OR or the end of the expression, found "session.simulated"$/,
  ],
  ['session.bot > 1▲)', /^Expected AND, OR or the end of the expression, found "\)"$/],
  ['▲(session.bot > 1', /^Missing closing \)$/],
  ['(session.bot > 1 ▲]', /^Expected AND, OR or \), found "\]"$/],
  ['(▲)', /^Expected a field name/],
  ['NOT ▲', /^Expected a field name/],
  ['account.id IN ▲"a"', /^Expected \[ before the values, found "a"$/],
  ['account.id IN [▲]', /^Expected a value, found "\]"$/],
  ['account.id IN ["a",▲]', /^Expected a value, found "\]"$/],
  ['account.id IN ["a" ▲"b"]', /^Expected , or \], found "b"$/],
  ['account.id IN ["a"▲)', /^Expected , or \], found "\)"$/],
  ['account.id IN ("a"▲]', /^Expected , or \), found "\]"$/],
  // Characters.
  ['account.num_sessions ▲== 3', /^Unexpected "==": use =$/],
  ['account.num_sessions ▲<> 3', /^Unexpected "<>": use !=$/],
  ['session.is_first ▲&& session.simulated', /^Unexpected "&&": use AND$/],
  ['session.is_first ▲|| session.simulated', /^Unexpected "\|\|": use OR$/],
  ['▲!session.is_first', /^Unexpected "!": use NOT$/],
  ['account.id = ▲“a”', /^Unexpected "“": put strings in straight quotes/],
  ['account.email.domain = ▲/mail/', /regular expressions are not supported, use CONTAINS$/],
  ['session.bot > ▲.5', /^Unexpected ".": a number must start with a digit, such as 0.5$/],
  ['session.bot > ▲😀', /^Unexpected "😀"$/],
  ['session.bot > 1▲;', /^Unexpected ";"$/],
  ['session.bot > ▲1e5', /^Number must consist of digits/],
  ['session.bot > ▲0x10', /^Number must consist of digits/],
  ['session.bot > ▲1.', /^Number must consist of digits/],
  ['session.bot > ▲1.2.3', /^Number must consist of digits/],
  ['session.bot > ▲NaN', /^Expected a value: put strings in quotes, such as "NaN"$/],
  ['session.bot > ▲Infinity', /^Expected a value/],
  ['session.bot > ▲0.0000001', /^Number must be 0, or have/],
  ['session.bot > ▲1000000000000001', /^Number must be 0, or have/],
  [`session.bot > ▲0.${'1'.repeat(31)}`, /^Number must be at most 32 characters$/],
  ['account.id = ▲"a', /^String has no closing "$/],
  ['account.id = ▲\'a"', /^String has no closing '$/],
  ['account.id = ▲"a\nb"', /^String has no closing "$/],
  ['account.id = "a▲\tb"', /^Control characters of a string must be escaped/],
  [String.raw`account.id = "a▲\x"`, /^Backslash must be followed by one of/],
  [String.raw`account.id = "a▲\u12g4"`, /^Backslash must be followed by one of/],
  [String.raw`account.id = ▲"\u0000"`, /^String must not contain NUL characters or lone surrogates$/],
  [String.raw`account.id = ▲"\ud800"`, /^String must not contain NUL characters or lone surrogates$/],
])('reports the error in %s', (marked, message) => {
  const error = errorOf(marked.replace('▲', ''));
  expect(error.message).toMatch(message);
  expect(error.position).toBe(marked.indexOf('▲'));
});

test('reports the line and column of an error in a later line', () => {
  const error = errorOf('session.is_first\n  AND session.bot\n    > "high"');
  expect(error).toMatchObject({ line: 3, column: 7, position: 41 });
});

const nested = (levels: number) =>
  Array.from({ length: levels }).reduce<string>(
    (inner, _, index) => `(${inner}) ${index % 2 ? 'AND' : 'OR'} session.is_first`,
    'session.bot > 0.5',
  );

test('an expression has at most 8 levels, for any operators', () => {
  expect(() => testLanguage.parse(nested(7))).not.toThrow();
  const error = errorOf(nested(8));
  expect(error.message).toBe('Expression must be at most 8 levels deep');
  expect(error.position).toBe(nested(8).indexOf('session.bot'));
  expect(() => testLanguage.parse(`${'NOT '.repeat(7)}session.is_first`)).not.toThrow();
  expect(errorOf(`${'NOT '.repeat(8)}session.is_first`).position).toBe('NOT '.length * 7);
  expect(errorOf(`NOT (${nested(7)})`).message).toBe('Expression must be at most 8 levels deep');
});

test('redundant parentheses add no level, up to 32 of them', () => {
  const around = (count: number) => `${'('.repeat(count)}session.is_first${')'.repeat(count)}`;
  expect(testLanguage.parse(around(32))).toEqual(isFirst);
  expect(errorOf(around(33))).toMatchObject({
    position: 32,
    message: 'Parentheses can be nested at most 32 deep',
  });
});

test('an expression has at most 1,000 conditions and operators', () => {
  const row = (conditions: number) => Array(conditions).fill('session.is_first').join(' AND ');
  expect(testLanguage.parse(row(999))).toEqual({ and: Array(999).fill(isFirst) });
  const error = errorOf(row(1000));
  expect(error.message).toBe('Expression must have at most 1000 conditions and operators');
  expect(error.position).toBe(row(999).length + ' AND '.length);
});

test('a text has at most 1,024 characters, a list 1,000 values, an expression 65,536 characters', () => {
  const text = (length: number) => `account.id = "${'a'.repeat(length)}"`;
  expect(testLanguage.parse(text(1024))).toMatchObject({ value: 'a'.repeat(1024) });
  expect(errorOf(text(1025))).toMatchObject({
    position: 13,
    message: 'String must be at most 1024 characters',
  });
  const list = (values: number) => `account.num_sessions IN [${Array(values).fill('1').join(',')}]`;
  expect(testLanguage.parse(list(1000))).toMatchObject({ value: Array(1000).fill(1) });
  expect(errorOf(list(1001)).message).toBe('List must have at most 1000 values');
  expect(testLanguage.parse(`session.is_first${' '.repeat(65_536 - 16)}`)).toEqual(isFirst);
  expect(errorOf(`session.is_first${' '.repeat(65_536 - 15)}`).position).toBe(65_536);
});

test('an expression over the limit after expansion is rejected', () => {
  // Each value is six characters longer where it is printed.
  const values = Array(1000)
    .fill(`'${'"'.repeat(40)}'`)
    .join(',');
  expect(errorOf(`account.id IN [${values}]`).message).toMatch(/^Expression must be at most .* printed form/);
});

test.each([
  ['parentheses', '('.repeat(60_000)],
  ['NOT', 'NOT '.repeat(16_000)],
  ['NOT and parentheses', 'NOT ('.repeat(13_000)],
  ['members', 'session.is_first AND ('.repeat(2_900)],
  ['conditions', 'session.bot > 0 AND '.repeat(3_000)],
  ['digits', `session.bot > ${'1'.repeat(60_000)}`],
  ['a name', `${'a.'.repeat(30_000)}a = 1`],
  ['brackets', `account.id IN ${'['.repeat(60_000)}`],
  ['beyond all limits', '('.repeat(100_000)],
])('an unlimited number of %s is rejected with a short message', (_, text) => {
  expect(errorOf(text).message.length).toBeLessThan(300);
});

function errorOf(text: string): ExpressionError {
  try {
    testLanguage.parse(text);
  } catch (error) {
    if (error instanceof ExpressionError) return error;
    throw error;
  }
  throw new Error(`read without a mistake: ${text.slice(0, 200)}`);
}
