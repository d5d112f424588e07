import { z } from 'zod';
import { countryCodeShape } from '../../platform/country-code-shape.ts';
import { LIMITS } from '../../platform/limits.ts';
import { at, fields, fieldsOf, object } from './answer-parts.ts';
import { documentOf } from './documents.ts';
import { described, text } from './json-schema.ts';
import { type Route, route } from './route.ts';
import { PROJECT_ID, REQUEST_ID } from './shared-parts.ts';

/** Whatever is no text, or is missing, is no phone number: the schema refuses the empty text with the documented words. */
const phoneNumber = z
  .unknown()
  .optional()
  .transform((value) => (typeof value === 'string' ? value : ''))
  .meta({
    type: 'string',
    minLength: 1,
    maxLength: LIMITS.phoneLength,
    description: 'Number in any spelling. Numbers with +, 00 or tel: do not need a country.',
  });

const phoneBody = z
  .object({
    phone_number: phoneNumber,
    country: z
      .preprocess(
        (value) => (value === '' ? null : value),
        countryCodeShape.meta({ minLength: 2, maxLength: 2 }).nullish(),
      )
      .describe(
        'Country of a national number as ISO 3166-1 alpha-2. A national number is not read without it.',
      ),
  })
  .meta({ required: ['phone_number'], example: { phone_number: '+14155552671' } });

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
    variables: ({ body }) => ({ phoneNumber: body.phone_number ?? '', country: body.country }),
    answer: at(
      'check_phone',
      object('PhoneResult', { project_id: PROJECT_ID, request_id: REQUEST_ID, phone: PHONE }),
    ),
  }),
];
