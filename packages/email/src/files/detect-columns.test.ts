import { describe, expect, it } from 'vitest';
import { detectColumns } from './detect-columns.ts';

const table = (text: string) => text.split('\n').map((line) => line.split(','));

describe('column of addresses', () => {
  it.each([
    'email',
    'E-Mail',
    'EMAIL ADDRESS',
    'e-mail-adresse',
    'Correo electrónico',
    'Courriel',
    'Adresse e-mail',
    'Endereço de e-mail',
    'メールアドレス',
    'Электронная почта',
    'Subscriber Email (main)',
  ])('is the column named %s', (name) => {
    expect(detectColumns(table(`id,${name}\n1,a@example.com`))).toMatchObject({ hasHeader: true, email: 1 });
  });

  it('is detected by content when no name matches', () => {
    expect(detectColumns(table('id,login\n1,a@example.com\n2,b@example.com'))).toMatchObject({
      hasHeader: true,
      email: 1,
    });
  });

  it('is found in a table without a header', () => {
    const columns = detectColumns(table('1,a@example.com,Ann\n2,b@example.com,Bob'));
    expect(columns).toMatchObject({
      hasHeader: false,
      email: 1,
      names: ['column_1', 'column_2', 'column_3'],
    });
  });

  it('is not a column with a matching name and other content', () => {
    expect(detectColumns(table('email consent,contact email\nyes,a@example.com')).email).toBe(1);
    expect(detectColumns(table('email,login\nyes,a@example.com\nno,b@example.com')).email).toBe(0);
  });

  it('can be selected by name, in any case, or by number', () => {
    const sample = table('email,Other\na@example.com,b@example.com');
    expect(detectColumns(sample, { email: 'other' }).email).toBe(1);
    expect(detectColumns(sample, { email: '2' }).email).toBe(1);
    expect(detectColumns(sample, { email: '2', hasHeader: false })).toMatchObject({
      hasHeader: false,
      email: 1,
    });
  });

  it('is required: the error lists the columns', () => {
    expect(() => detectColumns(table('id,note\n1,x'))).toThrow(
      'email_column: no column contains addresses; it must be one of the columns "id", "note", or a number from 1 to 2',
    );
    expect(() => detectColumns(table('id,note\n1,x'), { email: 'mail' })).toThrow(
      'email_column: must be one of the columns "id"',
    );
    expect(() => detectColumns(table('id,note\n1,x'), { email: '3' })).toThrow('a number from 1 to 2');
    expect(() => detectColumns([])).toThrow('The file is empty');
  });
});

it('the columns of names, phone and country are found by name', () => {
  expect(detectColumns(table('Vorname,Nachname,E-Mail,Telefon,Land\nAnn,Lee,a@example.com,1,DE'))).toEqual({
    hasHeader: true,
    names: ['Vorname', 'Nachname', 'E-Mail', 'Telefon', 'Land'],
    email: 2,
    firstName: 0,
    lastName: 1,
    name: null,
    phone: 3,
    country: 4,
  });
  expect(detectColumns(table('email,Full Name\na@example.com,Ann Lee')).name).toBe(1);
});

it('a column without a name is named by its number', () => {
  expect(detectColumns(table('email,,\na@example.com,1,2')).names).toEqual(['email', 'column_2', 'column_3']);
});
