import { expect, test } from 'vitest';
import { testLanguage } from '../../../test/support/rule-language.ts';
import { fieldsOf, listsOf } from './expression-reads.ts';

const expression = testLanguage.parse(`
  session.bot > 0.5 AND (lists MATCHES LIST "vip" OR NOT lists MATCHES LIST "block")
  AND session.bot < 0.9 AND (lists MATCHES LIST "vip" OR lists MATCHES LIST "other") AND account.group IS MISSING`);

test('the fields of an expression are listed once each in reading order', () => {
  expect(fieldsOf(expression)).toEqual(['session.bot', 'lists', 'account.group']);
});

test('the lists of an expression are listed once each', () => {
  expect(listsOf(expression)).toEqual(['vip', 'block', 'other']);
});
