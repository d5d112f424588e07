import { expect, test } from 'vitest';
import type { Expression } from './expression.ts';
import { ExpressionError } from './expression-error.ts';
import { parseExpression } from './parse-expression.ts';

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
  // A row of one operator is one node; parentheses keep what they hold apart.
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
])('%s', (text, expression) => {
  expect(parseExpression(text)).toEqual(expression);
});

/** The mistake stands where ▲ is. */
test.each<[string, RegExp]>([
  // Fields.
  ['▲sesion.bot > 1', /^there is no field "sesion.bot"; did you mean session.bot\?$/],
  ['session.is_first AND ▲vpn', /did you mean session.risk_signals.vpn\?$/],
  ['▲Session.Bot > 1', /did you mean session.bot\?$/],
  ['▲constructor = 1', /^there is no field "constructor"$/],
  ['▲session.__proto__ = 1', /^there is no field "session.__proto__"/],
  ['▲AND session.is_first', /^expected the name of a field, NOT or \(, found "AND"$/],
  ['▲"a" = account.id', /^expected the name of a field/],
  ['session.is_first OR ▲', /^expected the name of a field, NOT or \(, found the end$/],
  // Values.
  ['session.bot > ▲"x"', /^session.bot holds a number \(0 to 1\): expected a number, found the text "x"$/],
  ['session.bot > ▲true', /expected a number, found true$/],
  ['account.id = ▲5', /^account.id holds a text: expected a text, found 5$/],
  [
    'session.is_first = ▲"yes"',
    /^session.is_first holds true or false: expected true or false, found the text "yes"$/,
  ],
  ['account.id IN ["a", ▲2]', /expected a text, found 2$/],
  ['account.num_sessions NOT IN [1, ▲"2"]', /expected a number, found the text "2"$/],
  ['account.countries CONTAINS ▲5', /expected a text, found 5$/],
  ['lists MATCHES LIST ▲7', /expected a text, found 7$/],
  ['account.id = ▲""', /^an empty text is no value: use IS MISSING/],
  ['account.id = ▲x', /^expected a value: a text stands in quotes, as "x"$/],
  ['session.bot > ▲account.bot', /^account.bot is a field: a field is compared with a value only$/],
  ['session.bot > ▲', /^expected a value, found the end$/],
  ['session.bot > ▲)', /^expected a value, found "\)"$/],
  ['session.bot > ▲AND', /^expected a value, found "AND"$/],
  // Closed enumerations and countries.
  ['session.source = ▲"fax"', /^"fax" is none of the values of session.source: web, ios or android$/],
  ['session.source IN ["web", ▲"fax"]', /^"fax" is none of the values/],
  ['verification.risk_flags CONTAINS ▲"repeat_nose"', /^"repeat_nose" is none of the values .* repeat_face/],
  ['account.country = ▲"UK"', /^"UK" is no country code of two letters: use GB$/],
  ['account.countries CONTAINS ▲"Germany"', /^"Germany" is no country code/],
  ['account.country = ▲"ß"', /^"ß" is no country code/],
  // Numbers that the field can never be.
  ['account.account_score > ▲70', /^70 is out of reach: account.account_score is 0 to 1$/],
  ['session.bot IN [0.5, ▲-1]', /^-1 is out of reach: session.bot is 0 to 1$/],
  ['account.num_sessions < ▲-2', /^-2 is out of reach: account.num_sessions is from 0$/],
  ['account.accounts_linked > ▲1501', /^1501 is out of reach: account.accounts_linked is 0 to 1,500$/],
  // Operators.
  [
    'account.country ▲> "DE"',
    /^account.country holds a text, which has no >: use =, !=, IN, NOT IN, CONTAINS, IS/,
  ],
  ['session.is_first ▲IN [true]', /^session.is_first holds true or false, which has no IN: use =, !=, IS/],
  ['session.bot ▲CONTAINS 1', /has no CONTAINS/],
  ['account.countries ▲= "DE"', /^account.countries holds several texts, which has no =: use CONTAINS, IS/],
  ['account.countries ▲MATCHES LIST "vip"', /has no MATCHES LIST: use CONTAINS/],
  ['lists ▲NOT IN ["vip"]', /has no NOT IN: use MATCHES LIST, IS MISSING or IS PRESENT/],
  ['account.id ▲MATCHES LIST "x"', /has no MATCHES LIST/],
  ['session.bot▲', /^session.bot holds a number \(0 to 1\) and needs an operator: =, /],
  ['(session.bot▲)', /needs an operator/],
  ['session.bot ▲0.5', /^expected an operator \(=, .*\) after session.bot, found "0.5"$/],
  [
    'session.is_first ▲true',
    /^expected an operator \(=, !=, IS MISSING or IS PRESENT\) after session.is_first/,
  ],
  ['account.id NOT ▲"a"', /^expected IN after NOT, found "a"$/],
  ['lists MATCHES ▲"vip"', /^expected LIST after MATCHES, found "vip"$/],
  ['account.id IS ▲NOT MISSING', /^expected MISSING or PRESENT after IS, found "NOT"$/],
  // Structure.
  ['▲', /^an expression has at least one condition$/],
  ['  ▲', /^an expression has at least one condition$/],
  ['session.is_first ▲session.simulated', /expected an operator/],
  ['session.bot > 1 ▲session.simulated', /^expected AND, OR or the end, found "session.simulated"$/],
  ['session.bot > 1▲)', /^expected AND, OR or the end, found "\)"$/],
  ['▲(session.bot > 1', /^this \( is never closed$/],
  ['(session.bot > 1 ▲]', /^expected AND, OR or \), found "\]"$/],
  ['(▲)', /^expected the name of a field/],
  ['NOT ▲', /^expected the name of a field/],
  ['account.id IN ▲"a"', /^expected \[ before the values, found "a"$/],
  ['account.id IN [▲]', /^expected a value, found "\]"$/],
  ['account.id IN ["a",▲]', /^expected a value, found "\]"$/],
  ['account.id IN ["a" ▲"b"]', /^expected , or \], found "b"$/],
  ['account.id IN ["a"▲)', /^expected , or \], found "\)"$/],
  ['account.id IN ("a"▲]', /^expected , or \), found "\]"$/],
  // Characters.
  ['account.num_sessions ▲== 3', /^cannot read "==" here: use =$/],
  ['account.num_sessions ▲<> 3', /^cannot read "<>" here: use !=$/],
  ['session.is_first ▲&& session.simulated', /^cannot read "&&" here: use AND$/],
  ['session.is_first ▲|| session.simulated', /^cannot read "\|\|" here: use OR$/],
  ['▲!session.is_first', /^cannot read "!" here: use NOT$/],
  ['account.id = ▲“a”', /^cannot read "“" here: texts stand in straight quotes/],
  ['account.email.domain = ▲/mail/', /no regular expressions: use CONTAINS$/],
  ['session.bot > ▲.5', /^cannot read "." here: a number begins with a digit, as 0.5$/],
  ['session.bot > ▲😀', /^cannot read "😀" here$/],
  ['session.bot > 1▲;', /^cannot read ";" here$/],
  ['session.bot > ▲1e5', /^a number is written with digits/],
  ['session.bot > ▲0x10', /^a number is written with digits/],
  ['session.bot > ▲1.', /^a number is written with digits/],
  ['session.bot > ▲1.2.3', /^a number is written with digits/],
  ['session.bot > ▲NaN', /^expected a value: a text stands in quotes, as "NaN"$/],
  ['session.bot > ▲Infinity', /^expected a value/],
  ['session.bot > ▲0.0000001', /^a number is 0, or between/],
  ['session.bot > ▲1000000000000001', /^a number is 0, or between/],
  [`session.bot > ▲0.${'1'.repeat(31)}`, /^a number is written with at most 32 characters$/],
  ['account.id = ▲"a', /^a text begins here and has no closing "$/],
  ['account.id = ▲\'a"', /^a text begins here and has no closing '$/],
  ['account.id = ▲"a\nb"', /^a text begins here and has no closing "$/],
  ['account.id = "a▲\tb"', /^in a text, write control characters as/],
  [String.raw`account.id = "a▲\x"`, /^after a backslash stands one of/],
  [String.raw`account.id = "a▲\u12g4"`, /^after a backslash stands one of/],
  [String.raw`account.id = ▲"\u0000"`, /^a text holds no NUL and no half of a character$/],
  [String.raw`account.id = ▲"\ud800"`, /^a text holds no NUL and no half of a character$/],
])('the mistake in %s', (marked, message) => {
  const error = errorOf(marked.replace('▲', ''));
  expect(error.message).toMatch(message);
  expect(error.position).toBe(marked.indexOf('▲'));
});

test('the mistake of a later line', () => {
  const error = errorOf('session.is_first\n  AND session.bot\n    > "high"');
  expect(error).toMatchObject({ line: 3, column: 7, position: 41 });
});

const nested = (levels: number) =>
  Array.from({ length: levels }).reduce<string>(
    (inner, _, index) => `(${inner}) ${index % 2 ? 'AND' : 'OR'} session.is_first`,
    'session.bot > 0.5',
  );

test('an expression is at most 8 levels deep, whichever operators they are', () => {
  expect(() => parseExpression(nested(7))).not.toThrow();
  const error = errorOf(nested(8));
  expect(error.message).toBe('an expression is at most 8 levels deep');
  expect(error.position).toBe(nested(8).indexOf('session.bot'));
  expect(() => parseExpression(`${'NOT '.repeat(7)}session.is_first`)).not.toThrow();
  expect(errorOf(`${'NOT '.repeat(8)}session.is_first`).position).toBe('NOT '.length * 7);
  expect(errorOf(`NOT (${nested(7)})`).message).toBe('an expression is at most 8 levels deep');
});

test('parentheses that are not needed add no level, up to 32 of them', () => {
  const around = (count: number) => `${'('.repeat(count)}session.is_first${')'.repeat(count)}`;
  expect(parseExpression(around(32))).toEqual(isFirst);
  expect(errorOf(around(33))).toMatchObject({
    position: 32,
    message: 'parentheses stand in at most 32 others',
  });
});

test('an expression has at most 1,000 conditions and operators', () => {
  const row = (conditions: number) => Array(conditions).fill('session.is_first').join(' AND ');
  expect(parseExpression(row(999))).toEqual({ and: Array(999).fill(isFirst) });
  const error = errorOf(row(1000));
  expect(error.message).toBe('an expression has at most 1000 conditions and operators');
  expect(error.position).toBe(row(999).length + ' AND '.length);
});

test('a text has at most 1,024 characters, a list 1,000 values, the whole 65,536 characters', () => {
  const text = (length: number) => `account.id = "${'a'.repeat(length)}"`;
  expect(parseExpression(text(1024))).toMatchObject({ value: 'a'.repeat(1024) });
  expect(errorOf(text(1025))).toMatchObject({ position: 13, message: 'a text has at most 1024 characters' });
  const list = (values: number) => `account.num_sessions IN [${Array(values).fill('1').join(',')}]`;
  expect(parseExpression(list(1000))).toMatchObject({ value: Array(1000).fill(1) });
  expect(errorOf(list(1001)).message).toBe('a list has at most 1000 values');
  expect(parseExpression(`session.is_first${' '.repeat(65_536 - 16)}`)).toEqual(isFirst);
  expect(errorOf(`session.is_first${' '.repeat(65_536 - 15)}`).position).toBe(65_536);
});

test('an expression over the limit after expansion is rejected', () => {
  // Each value takes six characters more where it is shown.
  const values = Array(1000)
    .fill(`'${'"'.repeat(40)}'`)
    .join(',');
  expect(errorOf(`account.id IN [${values}]`).message).toMatch(/^written out in full, this has more than/);
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
])('no end of %s is a mistake as any other', (_, text) => {
  expect(errorOf(text).message.length).toBeLessThan(300);
});

function errorOf(text: string): ExpressionError {
  try {
    parseExpression(text);
  } catch (error) {
    if (error instanceof ExpressionError) return error;
    throw error;
  }
  throw new Error(`read without a mistake: ${text.slice(0, 200)}`);
}
