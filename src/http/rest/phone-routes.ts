import { z } from 'zod';
import { countryCodeShape } from '../../platform/country-code-shape.ts';
import { LIMITS } from '../../platform/limits.ts';
import { documentOf } from './documents.ts';
import { type Route, route } from './route.ts';

/** Whatever is no text, or is missing, is no phone number: the schema refuses the empty text with the documented words. */
const phoneNumber = z
  .unknown()
  .optional()
  .transform((value) => (typeof value === 'string' ? value : ''))
  .meta({
    type: 'string',
    minLength: 1,
    maxLength: LIMITS.phoneLength,
    description: 'Number in any spelling; +, 00 and tel: need no country.',
  });

const phoneBody = z
  .object({
    phone_number: phoneNumber,
    country: z
      .preprocess(
        (value) => (value === '' ? null : value),
        countryCodeShape.meta({ minLength: 2, maxLength: 2 }).nullish(),
      )
      .describe('ISO 3166-1 alpha-2 code that a national number is read with; absent: none is assumed.'),
  })
  .meta({ required: ['phone_number'], example: { phone_number: '+14155552671' } });

/** Phone numbers by themselves. */
export const PHONE_ROUTES: readonly Route[] = [
  route({
    method: 'POST',
    path: '/phone',
    operation: 'phone.check',
    summary: 'Check a phone number',
    description:
      'Validity, country, carrier and line type of a number from offline data, its risk signals, and its history in the ' +
      'project. A number that no numbering plan assigns is answered with valid false; a text without a digit, or of more ' +
      'than 32 characters, is a 400. Nothing is stored.',
    access: 'key',
    body: phoneBody,
    query: {},
    document: documentOf('RestCheckPhone'),
    variables: ({ body }) => ({ phoneNumber: body.phone_number ?? '', country: body.country }),
    present: (data, meta) => {
      const { calling_country_code, country_code, carrier, region, risk_score, risk_signals, ...phone } =
        data.checkPhone!;
      return {
        project_id: meta.projectId,
        request_id: meta.requestId,
        phone: {
          valid: phone.valid,
          phone_number: phone.phone_number,
          calling_country_code,
          country_code,
          carrier_name: carrier?.name ?? '',
          line_type: phone.line_type,
          possible: phone.possible,
          region,
          timezones: phone.timezones,
          risk: { risk_score, risk_signals },
          history: phone.history,
        },
      };
    },
  }),
];
