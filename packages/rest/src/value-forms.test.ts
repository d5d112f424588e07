import { parse } from 'graphql';
import { describe, expect, it } from 'vitest';
import { schemaWithForms } from './schema-with-forms-for-tests.ts';
import { valueForms } from './value-forms.ts';

const schema = schemaWithForms(
  `
  scalar DateTime scalar JSONObject
  enum Color { red }
  type Account { dateOfBirth: String name: String color: Color seen: DateTime facts: JSONObject count: Int friends: [Account!] }
  type DocumentUserData { dateOfIssue: String }
  type EmailBreach { country: String }
  type Session { trueCountryCode: String }
  type Verification { userData: DocumentUserData breach: EmailBreach session: Session sessions: [Session!] referringSessionSignals: DocumentUserData accounts: [Account!]! }
  type Query { verification: Verification }
`,
  {
    'Account.dateOfBirth': { unknown: 'absent' },
    'DocumentUserData.dateOfIssue': { isUsDate: true },
    'EmailBreach.country': { unknown: 'null' },
    'Session.trueCountryCode': { unknown: 'absent', within: { 'Verification.session': { unknown: 'null' } } },
    'Verification.referringSessionSignals': { default: { ip_mismatch: 0 } },
  },
);

/** The documented values of a response of `verification`. */
function formed(selection: string, verification: object): unknown {
  const data = { verification: structuredClone(verification) };
  valueForms(parse(`{ verification { ${selection} } }`), schema)(data);
  return data.verification;
}

describe('the documented form', () => {
  it('of unknown text and words is empty at any depth; of other unknown values null', () => {
    const account = { name: null, color: null, seen: null, facts: null, count: null, friends: null };
    const selection = 'accounts { name color seen facts count friends { name } }';
    expect(formed(selection, { accounts: [account, { ...account, friends: [{ name: null }] }] })).toEqual({
      accounts: [
        { ...account, name: '', color: '' },
        { ...account, name: '', color: '', friends: [{ name: '' }] },
      ],
    });
  });

  it('is under the alias of the document', () => {
    expect(formed('accounts { first_name: name }', { accounts: [{ first_name: null }] })).toEqual({
      accounts: [{ first_name: '' }],
    });
  });

  it('of values that are known, or not selected, is the value itself', () => {
    const verification = { accounts: [{ name: 'Ada', color: 'red', facts: { name: null } }] };
    expect(formed('accounts { name color facts count @skip(if: true) }', verification)).toEqual(verification);
  });

  it('of exceptions is their own: absent, null, a date, an object', () => {
    const selection =
      'userData { issued: dateOfIssue } breach { country } session { trueCountryCode } sessions { trueCountryCode } referringSessionSignals { dateOfIssue } accounts { dateOfBirth }';
    const unknown = {
      ...{ userData: { issued: null }, breach: { country: null }, referringSessionSignals: null },
      ...{ session: { trueCountryCode: null }, sessions: [{ trueCountryCode: null }] },
      accounts: [{ dateOfBirth: null }, { dateOfBirth: '' }, { dateOfBirth: '1990-12-10' }],
    };
    expect(formed(selection, unknown)).toEqual({
      ...{ userData: { issued: '' }, breach: { country: null } },
      ...{ session: { trueCountryCode: null }, sessions: [{}] },
      referringSessionSignals: { ip_mismatch: 0 },
      accounts: [{}, {}, { dateOfBirth: '1990-12-10' }],
    });
    expect(formed('userData { dateOfIssue }', { userData: { dateOfIssue: '2024-06-15' } })).toEqual({
      userData: { dateOfIssue: '06/15/2024' },
    });
  });
});
