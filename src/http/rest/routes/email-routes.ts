import { invalidInput } from '@vouchgraph/platform/errors';
import { LIMITS } from '@vouchgraph/platform/limits';
import { betweenText } from '@vouchgraph/platform/wording';
import {
  always,
  at,
  checked,
  described,
  each,
  either,
  field,
  found,
  lowerCase,
  object,
  of,
  pageLimit,
} from '@vouchgraph/rest';
import { globalIdOf } from '../../../graphql/kernel/node-id.ts';
import { documentOf, fieldsOf } from '../documents.ts';
import { type Part, type Route, route } from '../route.ts';
import { EMAIL_RECORD } from './email-record-schema.ts';
import { emailBody } from './email-shapes.ts';
import { NEXT_CURSOR } from './shared-parts.ts';

/** The value of `wait` in seconds; null when it is absent. */
function waitOf(text: string | undefined): number | null {
  if (!text) return null;
  const seconds = /^\d{1,2}(\.\d{1,6})?$/.test(text) ? Number(text) : Number.NaN;
  if (seconds >= 0 && seconds <= LIMITS.emailWaitSeconds) return seconds;
  throw invalidInput(`wait: ${betweenText(0, LIMITS.emailWaitSeconds)}`);
}

/** The completed check, which is JSON in the schema. */
const RECORD: Part<{ record?: unknown }> = at('record', {
  value: (record) => record,
  schema: () => described(EMAIL_RECORD, 'Completed check; the same object is the data of its event.'),
});

const BATCH = {
  ...fieldsOf('BatchBody', { status: { status: lowerCase('status') } }),
  total_count: at('counts', field('total')),
  completed_count: at('counts', field('completed')),
};

const PAGE = {
  results: at('checks', at('edges', each(at('node', RECORD)))),
  next_cursor: at('checks', at('page_info', NEXT_CURSOR)),
};

/** Checks of email addresses. */
export const EMAIL_ROUTES: readonly Route[] = [
  route({
    method: 'POST',
    path: '/email',
    operation: 'email.check',
    summary: 'Check an email address, or a batch of addresses',
    description:
      'Checks one address in email, or 1 to 1,000 addresses in emails. The result is sent as an event ' +
      'and can be polled.',
    access: 'key',
    body: emailBody,
    maxBodyBytes: LIMITS.emailBodyBytes,
    query: {
      wait: {
        type: 'number',
        description:
          'Time to wait for the result in seconds, 0 to 10. The answer contains result if it is ready ' +
          'in time. For a batch it contains the results that are ready, next_cursor and completed_count.',
      },
    },
    document: documentOf('RestCheckEmails'),
    variables: ({ body, query }) => {
      const wait = waitOf(query.wait);
      const { email, claims, emails, batchName, identityIntelligence } = body;
      const common = { identityIntelligence, waitSeconds: wait };
      return emails
        ? {
            isBatch: true,
            waits: wait !== null,
            batch: { emails, batchName, ...common },
          }
        : { isBatch: false, waits: wait !== null, single: { email: email!, claims, ...common } };
    },
    answer: either(
      at(
        'check_email',
        object('StartedEmailCheck', {
          request_id: at('check', field('request_id')),
          ...fieldsOf('StartedCheckBody'),
          // Of a request that waits, when the check is completed in time.
          result: at('check', RECORD),
        }),
      ),
      at(
        'check_emails',
        object('StartedEmailBatch', {
          ...of('batch', { ...BATCH, ...PAGE }),
          ...fieldsOf('StartedBatchBody'),
        }),
      ),
    ),
  }),
  route({
    method: 'GET',
    path: '/email/{request_id}',
    operation: 'email.get',
    summary: 'Get the result of an email check',
    description:
      'Result of the check, equal to the data of its event. Id and status if the check is pending.',
    access: 'key',
    body: null,
    query: {},
    rejectsUnknownQuery: true,
    document: documentOf('RestGetEmailCheck'),
    variables: ({ params }) => ({ id: globalIdOf('EmailCheck', params.request_id!) }),
    answer: checked(
      'email_check',
      (check) => found(check, 'email.check_not_found', 'Email check not found'),
      either(
        RECORD,
        object('PendingEmailCheck', { request_id: field('request_id'), status: always('pending') }),
      ),
    ),
  }),
  route({
    method: 'GET',
    path: '/email/batch/{batch_id}',
    operation: 'email.get_batch',
    summary: 'Get a batch of email checks',
    description:
      'Completed results in the order of the request. Earlier entries can complete after later ones: ' +
      'read all pages after the batch is completed.',
    access: 'key',
    body: null,
    query: {
      limit: { type: 'integer', description: 'Number of results, 1 to 1,000. 100 by default.' },
      cursor: { type: 'string', description: 'next_cursor of the previous page.' },
    },
    rejectsUnknownQuery: true,
    document: documentOf('RestGetEmailBatch'),
    variables: ({ params, query }) => ({
      id: globalIdOf('EmailBatch', params.batch_id!),
      limit: pageLimit(query.limit, LIMITS.emailsPerBatch),
      cursor: query.cursor || null,
    }),
    answer: checked(
      'email_batch',
      (batch) => found(batch, 'email.batch_not_found', 'Email batch not found'),
      object('EmailBatch', { ...BATCH, ...PAGE }),
    ),
  }),
];
