import { NAMES_NOTHING } from './foreign.ts';
import type { Operations } from './operation.ts';
import { linked } from './parity.ts';

/** Checks of phone numbers. */
export const PHONE_OPERATIONS: Operations = {
  'query checkPhone': {
    behavior: {
      name: 'describes a national number with the country given',
      document: `{ checkPhone(phoneNumber: "030 901820", country: "DE") { valid e164 country callingCode region } }`,
      answer: () => ({
        valid: true,
        e164: '+4930901820',
        country: 'DE',
        callingCode: '49',
        region: 'Berlin',
      }),
    },
    foreign: [
      {
        query: `query ($phone: String!) { checkPhone(phoneNumber: $phone) {
        history { firstSeen lastSeen accounts sessions countries lists { name } fakeAccounts } } }`,
        variables: ({ phone }) => ({ phone }),
      },
    ],
    routes: {
      'POST /phone': {
        behavior: {
          name: 'describes a number and how many accounts have it',
          request: ({ phone }) => ({ body: { phone_number: phone } }),
          status: 200,
          keys: 'phone project_id request_id',
          answer: ({ phone }) => ({
            phone: { phone_number: phone, valid: true, country_code: 'US', calling_country_code: '1' },
          }),
        },
        parity: {
          writes: false,
          async prepare(project) {
            await linked(project);
            return { body: { phone_number: '(415) 555-2671', country: 'us' } };
          },
          refused: { body: { phone_number: 'none' }, message: 'Invalid phone number' },
        },
        foreign: NAMES_NOTHING,
        body: { phone_number: '+14155552671' },

        // The history of a number contains accounts that its response does not name.
        stored: { call: () => ({ path: '/phone', body: { phone_number: '+14155552671' } }) },
      },
    },
  },
};
