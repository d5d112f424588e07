import { type FieldNode, isObjectType, parse, TypeInfo, visit, visitWithTypeInfo } from 'graphql';
import { describe, expect, it } from 'vitest';
import { schemaWithForms } from '../../../../test/support/schema-with-forms.ts';
import { declaredOf } from '../../../graphql/kernel/declared-facts.ts';
import { EMAIL_RECORD } from '../routes/email-record-schema.ts';
import { ROUTES } from '../routes/routes.ts';
import { inlineFragments } from './inline-fragments.ts';
import { restSchema } from './rest-schema.ts';
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

describe('the exceptions', () => {
  it('are of fields that rows select or that the email record has', () => {
    const selected = new Set<string>();
    for (const { document } of ROUTES) {
      const info = new TypeInfo(restSchema);
      const places: string[] = [];
      const enter = ({ name }: FieldNode) => {
        const place = `${info.getParentType()}.${name.value}`;
        for (const each of [place, `${places.at(-1)}.${name.value}`]) selected.add(each);
        places.push(place);
      };
      const leave = () => void places.pop();
      visit(inlineFragments(document), visitWithTypeInfo(info, { Field: { enter, leave } }));
    }
    for (const name of JSON.stringify(EMAIL_RECORD).matchAll(/"component":"(\w+)"/g)) {
      const type = restSchema.getType(name[1]!);
      for (const field of isObjectType(type) ? Object.keys(type.getFields()) : [])
        selected.add(`${type}.${field}`);
    }
    const declared = Object.values(restSchema.getTypeMap()).flatMap((type) =>
      isObjectType(type)
        ? Object.values(type.getFields()).flatMap((field) => {
            const { rest } = declaredOf(field);
            const inside = Object.keys(rest?.within ?? {}).map((place) => `${place}.${field.name}`);
            return rest ? [`${type}.${field.name}`, ...inside] : [];
          })
        : [],
    );
    expect(declared.length).toBeGreaterThan(50);
    expect(declared.filter((field) => !selected.has(field))).toEqual([]);
  });
});
