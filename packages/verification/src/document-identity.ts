import { type DocumentIdentity, type IdNumber, type IdNumberType, idNumberKey } from '@vouchgraph/persons';
import { birthDateProblem, isFutureBirthDate } from '@vouchgraph/platform/birth-date';
import type { DocumentJudgment, TemplateType } from '@vouchgraph/vision';

type BlindIndex = (kind: string, value: string) => Buffer;

/** Documents issued by a state. Others, such as those of schools and employers, have numbers of their issuer. */
const TYPE_OF_TEMPLATE: Partial<Record<TemplateType, IdNumberType>> = {
  passport: 'passport',
  driver_license: 'driver_license',
  state_id: 'national_id',
  national_id: 'national_id',
  residence_permit: 'residence_permit',
};

/** Date of birth and number of a document at a time; null if it has neither. */
export function documentIdentityOf(
  judgment: DocumentJudgment,
  blindIndex: BlindIndex,
  now: Date,
): DocumentIdentity | null {
  const dateOfBirth = birthDateOf(judgment, now);
  const idNumbers = idNumbersOf(judgment, blindIndex);
  return dateOfBirth === '' && idNumbers.length === 0 ? null : { dateOfBirth, idNumbers };
}

/** Only fields confirmed by parts of the document are filled. A document that contradicts itself confirms none. */
function birthDateOf({ signals, data }: DocumentJudgment, now: Date): string {
  const [month, day, year] = data.userData.dateOfBirth.split('/');
  const date = `${year}-${month}-${day}`;
  const isFake = signals.idValidity === 'likely_fake_id';
  return isFake || birthDateProblem(date) !== null || isFutureBirthDate(date, now) ? '' : date;
}

/** A number is unique within its country, or within its state where a state issues the document. */
function idNumbersOf({ data }: DocumentJudgment, blindIndex: BlindIndex): IdNumber[] {
  const { templateType, documentCountryCode: country, documentState: state } = data.templateInfo;
  const { idNumber } = data.userData;
  const type = TYPE_OF_TEMPLATE[templateType];
  if (!type || country === '' || idNumber === '') return [];
  const key = idNumberKey({ type, country, value: idNumber });
  if (key === '') return [];
  const hashed = state === '' ? key : idNumberKey({ type, country, value: `${state} ${idNumber}` });
  const hash = blindIndex('id_number', hashed).toString('base64');
  return [{ type, country, hash, fromDocument: true }];
}
