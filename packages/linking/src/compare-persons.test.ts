import { describe, expect, test } from 'vitest';
import { comparePersons, personOf } from './compare-persons.ts';

const NO_FIELDS = { email: '', firstName: '', lastName: '' };
const compare = (one: object, other: object) =>
  comparePersons(personOf({ ...NO_FIELDS, ...one }), personOf({ ...NO_FIELDS, ...other }));

describe('dates of birth', () => {
  test.each([
    ['1984-05-06', '1984-05-06', 'equal'],
    ['1984-05-06', '1984-05-16', 'near'],
    ['1984-05-06', '1934-05-06', 'near'],
    ['1984-05-06', '1989-05-06', 'near'],
    ['1984-05-06', '1964-05-06', 'contradict'],
    ['1990-01-01', '1960-01-01', 'contradict'],
    ['1984-05-06', '1984-06-05', 'near'],
    ['1984-05-06', '1984-06-07', 'contradict'],
    ['1984-05-06', '1985-05-07', 'contradict'],
    ['1984-05-06', '1984-04-30', 'contradict'],
    ['1984-05-06', '1985-06-16', 'contradict'],
    ['1984-05-06', '1971-11-23', 'contradict'],
    ['1984-05-06', '', 'unknown'],
    ['1984-05-06', '1900-01-01', 'unknown'],
  ])('%s and %s: %s', (one, other, expected) => {
    expect(compare({ dateOfBirth: one }, { dateOfBirth: other }).births).toBe(expected);
    expect(compare({ dateOfBirth: other }, { dateOfBirth: one }).births).toBe(expected);
  });

  test('the date of a document is used when the account has none', () => {
    const document = { dateOfBirth: '', documentDateOfBirth: '1984-05-06' };
    expect(compare(document, { dateOfBirth: '1984-05-06' }).births).toBe('equal');
    expect(compare({ ...document, dateOfBirth: '1971-11-23' }, { dateOfBirth: '1984-05-06' }).births).toBe(
      'contradict',
    );
  });
});

describe('names', () => {
  test.each([
    [['Robert', 'Allen'], ['Rob', 'Alen'], 'full'],
    [['Isla', 'Hall'], ['Hall', 'Isla'], 'full'],
    [['R.', 'Allen'], ['Robert', 'Allen'], 'full'],
    [['Isal', 'Hall'], ['Isla', 'Hall'], 'full'],
    [['Anna', 'Hall'], ['Anna-Maria', 'Hall'], 'full'],
    [['Anna-Luise', 'Hall'], ['Anna-Maria', 'Hall'], 'part'],
    [['Anna', 'Baker'], ['Anna', 'Wlker'], 'part'],
    [['Anna', 'Norbury'], ['Anna', 'Worbury'], 'part'],
    [['Theodore', ''], ['Theodore', 'Morris'], 'half'],
    [['', 'Green'], ['Thomas', 'Green'], 'half'],
    [['Anna', 'Green'], ['Thomas', 'Green'], 'part'],
    [['Anna', 'Green'], ['Thomas', 'Morris'], 'contradict'],
    // The same letters in another order, plus up to two: a typing error or another name.
    [['Harley', 'Hall'], ['Hayler', 'Hall'], 'half'],
    [['Archie', 'Scott'], ['Areceih', 'Scott'], 'half'],
    [['Ron', 'Hall'], ['Nora', 'Hall'], 'half'],
    [['Ron', 'Hall'], ['Norma', 'Hall'], 'part'],
    [['Robert', 'King'], ['Roberta', 'King'], 'part'],
    [['Jan', 'King'], ['Jana', 'King'], 'part'],
    [['Daniel', 'Novak'], ['Daniela', 'Novak'], 'part'],
    [['Anna', 'Ivanov'], ['Anna', 'Ivanova'], 'full'],
    [['John', 'Smith Jr.'], ['John', 'Smith Sr'], 'contradict'],
    [['John', 'Smith II'], ['John', 'Smith III'], 'contradict'],
    [['John', 'Smith I'], ['John', 'Smith IV'], 'contradict'],
    [['John 2nd', 'Smith'], ['John', 'Smith, 3rd'], 'contradict'],
    [['John', 'Smith Jr.'], ['John', 'Smith II'], 'full'],
    [['John', 'Smith Jr.'], ['John', 'Smith'], 'full'],
    [['John Smith', 'Jr.'], ['John', 'Smith Jr'], 'half'],
    [['John', 'I.'], ['John', 'Iverson'], 'full'],
    [['John', 'Senior'], ['John', 'Junior'], 'part'],
    [['FNU', 'Green'], ['Thomas', 'Green'], 'half'],
    [['Thomas', '4711'], ['Thomas', 'Green'], 'half'],
    [['John', 'Doe'], ['John', 'Doe'], 'unknown'],
    [['Anna', ''], ['', 'Green'], 'unknown'],
    [['', ''], ['Thomas', 'Green'], 'unknown'],
    [['test', 'test'], ['Thomas', 'Green'], 'unknown'],
  ])('%j and %j: %s', ([firstName = '', lastName = ''], [first = '', last = ''], expected) => {
    const one = { firstName, lastName };
    const other = { firstName: first, lastName: last };
    expect(compare(one, other).names).toBe(expected);
    expect(compare(other, one).names).toBe(expected);
  });

  test.each([
    ['Anna', 'Thomas', true],
    ['Mario', 'Maria', true],
    ['Robert', 'Bob', false],
    ['Robert', 'R', false],
    ['Robert', 'Robret', false],
    ['Anna', '', false],
    ['Leon', 'Noel', false],
    ['Leon', 'Nora', true],
  ])('first names %s and %s are different names: %s', (one, other, expected) => {
    expect(compare({ firstName: one }, { firstName: other }).haveOtherFirstNames).toBe(expected);
  });
});

describe('emails', () => {
  test.each([
    ['ivy.lee@example.org', 'ivy.llee@example.org', 'slip'],
    ['l.gordon34@french.com', 'l.gordon34@frnech.cmo', 'alike'],
    ['lucas@harrington.com', 'lucasharrington.com', 'slip'],
    ['oliverj82@bond.biz', 'oliverj82bond.biz', 'mistyped'],
    ['emilya@roberts.com', 'emilya@eroberts.com', 'alike'],
    ['anna@smith.com', 'anna@smyth.com', 'alike'],
    ['anna@smith.com', 'anne@smith.com', 'alike'],
    ['x9@hotel3.de', 'y2@hotel4.de', 'alike'],
    ['anna@shop1.com', 'anne@shop2.com', 'alike'],
    ['max.baum@hotel3.de', 'max.baum@hotel4.de', 'alike'],
    ['x9@a-very-long-domain-name.de', 'y2@a-very-long-domain-name.de', 'alike'],
    // Four edits in 30 letters, and one in 10.
    ['abcdefghijklmnopqr@example.com', 'abcxefgxijkxmnopxr@example.com', 'slip'],
    ['abcdefghijklmnop@example.com', 'abcxefgxijkxmnox@example.com', 'alike'],
    ['abcde@a.de', 'abxde@a.de', 'slip'],
    ['abcde@a.de', 'abxye@a.de', 'alike'],
    ['ivy.lee77@hotmial.com', 'ivy.lee77@hotmail.com', 'mistyped'],
    ['ivy.lee77@yaho.com', 'ivy.lee77@yahoo.com', 'mistyped'],
    ['ivy.lee77@yahoo.com', 'ivy.lee77@yahoo.co', 'mistyped'],
    ['ivy.lee77@yahoo.com', 'ivy.lee77@yahoo.de', 'other'],
    ['ivy.lee77@gmail.com', 'ivy.lee77@ymail.com', 'other'],
    ['ivy.lee@protonmial.com', 'ivylee@proton.me', 'mistyped'],
    ['emilya@roberts.com', 'emilyb@roberts.com', 'slip'],
    ['emilya@roberts.com', 'emilya@rbreots.com', 'alike'],
    ['john.smith@gmail.com', 'johnsmith@gmal.com', 'mistyped'],
    ['savtsev.alex@gmal.com', 'zaytsev.alex@gmail.com', 'other'],
    ['john.smith@gmx.com', 'john.smith@gmx.de', 'other'],
    ['ajones6@cortez.com', 'ajones7@cortez.com', 'near'],
    ['john1987@cortez.com', 'john@cortez.com', 'near'],
    ['john.smith@gmail.com', 'john.smiht@gmail.com', 'near'],
    ['john.smith@gmail.com', 'john.smit@gmail.com', 'near'],
    ['john.smith@gmail.com', 'jon.smiht@gmail.com', 'other'],
    ['john.smith@gmail.com', 'john.smith@gmx.com', 'other'],
    ['Jane.Doe+x@gmail.com', 'janedoe@gmail.com', 'equal'],
    ['alexander@cortez.com', 'margaret@cortez.com', 'other'],
    ['info@example.org', 'info1@example.org', 'unknown'],
    ['', 'ivy.lee@example.org', 'unknown'],
  ])('%s and %s: %s', (one, other, expected) => {
    expect(compare({ email: one }, { email: other }).emails).toBe(expected);
    expect(compare({ email: other }, { email: one }).emails).toBe(expected);
  });
});

describe('the same email in the same spelling', () => {
  test.each([
    ['ada@company.com', 'Ada@Company.com', true],
    ['ada@shop.example', 'ada@shop.example', true],
    ['ada@shop.example', 'eve@shop.example', false],
    ['ada+a@gmail.com', 'ada+a@gmail.com', false],
    ['', '', false],
  ])('%s and %s: %s', (one, other, expected) => {
    expect(compare({ email: one }, { email: other }).hasSameSpelling).toBe(expected);
  });
});
