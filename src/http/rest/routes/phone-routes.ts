import { at, bodyFrom, described, fields, object, text } from '@vouchgraph/rest';
import { z } from 'zod';
import { checkPhoneShape } from '../../../domain/phone/phone-input.ts';
import { documentOf, fieldsOf } from '../documents.ts';
import { type Route, route } from '../route.ts';
import { PROJECT_ID, REQUEST_ID } from './shared-parts.ts';

/**
 * A phone number that is absent or no text is the empty text, which the schema rejects with the documented message. An
 * empty country is none.
 */
function withDefaults(sent: unknown) {
  const { phone_number, country } = sent as Record<string, unknown>;
  return { phone_number: typeof phone_number === 'string' ? phone_number : '', country: country || null };
}

const phoneBody = z
  .preprocess(withDefaults, bodyFrom(checkPhoneShape))
  .meta({ example: { phone_number: '+14155552671' } });

const CARRIER_NAME = {
  value: ({ carrier }: { carrier: { name: string } | null }) => carrier?.name ?? '',
  schema: () => described(text, 'Carrier of the range of the number. Empty if unknown.'),
};

const PHONE = object(
  'Phone',
  fieldsOf('PhoneBody', {
    carrier: { carrier_name: CARRIER_NAME },
    risk_score: { risk: object('PhoneRisk', fields('risk_score', 'risk_signals')) },
    risk_signals: {},
  }),
);

/** Phone numbers by themselves. */
export const PHONE_ROUTES: readonly Route[] = [
  route({
    method: 'POST',
    path: '/phone',
    operation: 'phone.check',
    summary: 'Check a phone number',
    description:
      'Validity, country, carrier and line type of a number from offline data, its risk signals, and ' +
      'its history in the project. valid is false for a number that no numbering plan assigns. A text ' +
      'without a digit, or of more than 32 characters, is a 400. Nothing is stored.',
    access: 'key',
    body: phoneBody,
    query: {},
    document: documentOf('RestCheckPhone'),
    variables: ({ body }) => body,
    answer: at(
      'check_phone',
      object('PhoneResult', { project_id: PROJECT_ID, request_id: REQUEST_ID, phone: PHONE }),
    ),
  }),
];
