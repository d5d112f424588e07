import { idNumberKey } from '@vouchgraph/persons';
import type { DocumentJudgment, TemplateType } from '@vouchgraph/vision';
import { expect, test } from 'vitest';
import { documentIdentityOf } from './document-identity.ts';
import { simulatedResult } from './simulated-result.ts';

const NOW = new Date('2026-03-11T12:00:00Z');
const { document } = simulatedResult('id', { decision: 'Real', riskScore: 0, riskFlags: [] }, new Date());

type Over = {
  type?: TemplateType;
  country?: string;
  state?: string;
  number?: string;
  birth?: string;
  idValidity?: DocumentJudgment['signals']['idValidity'];
};

function judged({
  type = 'passport',
  country = 'DE',
  state = '',
  number = 'C01X00T47',
  birth = '06/05/1987',
  idValidity = 'cannot_confirm_id_is_authentic',
}: Over = {}): DocumentJudgment {
  const { signals, data, ...rest } = document!;
  return {
    ...rest,
    signals: { ...signals, idValidity },
    data: {
      templateInfo: { templateType: type, documentCountryCode: country, documentState: state },
      userData: { ...data.userData, idNumber: number, dateOfBirth: birth },
    },
  };
}

/** The text itself in place of its keyed hash. */
const index = (kind: string, value: string) => Buffer.from(`${kind}/${value}`);
function identityOf(over?: Over, now = NOW) {
  const found = documentIdentityOf(judged(over), index, now);
  return (
    found && {
      ...found,
      idNumbers: found.idNumbers.map(({ hash }) => Buffer.from(hash, 'base64').toString()),
    }
  );
}

test('a passport has its date of birth and the number that an account would use', () => {
  const stated = idNumberKey({ type: 'passport', country: 'de', value: 'c01x 00t47' });
  expect(identityOf()).toEqual({ dateOfBirth: '1987-06-05', idNumbers: [`id_number/${stated}`] });
  expect(documentIdentityOf(judged(), index, NOW)!.idNumbers).toMatchObject([
    { type: 'passport', country: 'DE', fromDocument: true },
  ]);
});

test('a number issued by a state belongs to that state', () => {
  const numbers = ['CA', 'NY'].map(
    (state) => identityOf({ type: 'driver_license', country: 'US', state, number: 'D1234567' })!.idNumbers[0],
  );
  const stated = idNumberKey({ type: 'driver_license', country: 'US', value: 'CA D1234567' });
  expect(numbers[0]).toBe(`id_number/${stated}`);
  expect(numbers[1]).not.toBe(numbers[0]);
});

test.each<[Over]>([
  [{ type: 'school_id' }],
  [{ type: 'employee_id' }],
  [{ type: 'medical_id' }],
  [{ type: 'unknown' }],
  [{ country: '' }],
  [{ number: '' }],
  [{ number: '000000000' }],
  [{ type: 'driver_license', country: 'US', state: 'CA', number: '123456789' }],
])('%j has no identifying number', (over) => expect(identityOf(over)!.idNumbers).toEqual([]));

test.each<[Over]>([[{ birth: '' }], [{ birth: '06/05/1887' }], [{ idValidity: 'likely_fake_id' }]])(
  '%j has no reliable date of birth and keeps its number',
  (over) => {
    expect(identityOf(over)).toMatchObject({ dateOfBirth: '', idNumbers: [expect.any(String)] });
  },
);

test('a document without both has no identity', () => {
  expect(identityOf({ birth: '', number: '' })).toBeNull();
});

test('a date of birth is in the future by the clock of the check', () => {
  const birth = '06/05/1987';
  expect(identityOf({ birth }, new Date('1987-06-05T00:00:00Z'))?.dateOfBirth).toBe('1987-06-05');
  expect(identityOf({ birth }, new Date('1987-06-04T12:00:00Z'))?.dateOfBirth).toBe('');
  expect(identityOf({ birth: '06/05/2087' }, new Date('2091-01-01T00:00:00Z'))?.dateOfBirth).toBe(
    '2087-06-05',
  );
});
