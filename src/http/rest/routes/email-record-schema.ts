import {
  arrayOf,
  component,
  constant,
  described,
  keysOf,
  nullable,
  propertyOf,
  text,
  timestamp,
  uuid,
  wholeSchema,
  words,
} from '@vouchgraph/rest';
import type { GraphQLObjectType } from 'graphql';
import { restSchema } from '../rest-schema.ts';

/*
 * The completed email check, which is JSON in the schema: the same object is the data of its event. Its result has the
 * fields of EmailResult.
 */

const whole = wholeSchema(restSchema.getType('EmailResult') as GraphQLObjectType, keysOf(restSchema), [
  'weightsVersion',
]);
const codes = arrayOf(propertyOf(propertyOf(whole, 'signal_details').items!, 'code'));
const result = { ...whole, properties: { ...whole.properties, trust_signals: codes, risk_signals: codes } };

const claims = component('EmailClaims', {
  name: nullable(component('ClaimedName', { first: nullable(text), last: nullable(text) })),
  phone: nullable(text),
  country: nullable(text),
});

export const EMAIL_RECORD = component('EmailCheck', {
  request_id: described(uuid, 'Id of the check.'),
  batch_id: nullable(uuid),
  project_id: uuid,
  event_type: constant('email.intelligence.completed'),
  created_at: timestamp,
  completed_at: timestamp,
  status: words(['success', 'error']),
  data: component('EmailCheckData', {
    input: component('EmailCheckInput', { email: nullable(text), claims: nullable(claims) }),
    result: described(nullable(result), 'Result. Null if the status is error.'),
  }),
  error: described(
    nullable(component('EmailCheckError', { email: nullable(text), code: text, message: text })),
    'Reason why there is no result. Null if the status is success.',
  ),
});
