import { z } from 'zod';
import { component, count, text, timestamp, uuid } from './response-values.ts';

const risk = z.number().min(-1).max(1);
const match = z.enum(['match', 'partial_match', 'no_match', 'skipped']);

const result = component('EmailResult', {
  decision: z.enum(['high_trust', 'trusted', 'moderate', 'risky', 'high_risk']),
  risk_score: risk,
  trust_signals: z.array(text),
  risk_signals: z.array(text),
  signal_details: z
    .array(
      component('EmailSignal', {
        code: text,
        side: z.enum(['trust', 'risk']),
        weight: z.number().min(0).max(1),
        source: text,
        evidence: text,
      }),
    )
    .describe('Each signal with its weight and evidence.'),
  domain: component('EmailDomain', {
    risk_score: risk,
    fqdn: text,
    apex: text,
    type: z.enum(['personal', 'business', 'education', 'government', 'relay', 'inactive', '']),
    age_years: z.number().nullable(),
    country: text.nullable(),
  }),
  email: component('EmailAddress', {
    username: text,
    normalized: text,
    first_seen_at: text.nullable(),
    age_years: z.number().nullable(),
    seen_countries: z.array(text),
  }),
  deliverability: component('EmailDeliverability', {
    risk_score: z.number().min(0).max(1).nullable(),
    send_recommendation: z.enum(['send', 'send_with_caution', 'do_not_send']).nullable(),
  }),
  breach_intelligence: component('EmailBreaches', {
    breach_count: count.nullable(),
    trusted_breach_count: count.nullable(),
    breach_list: z
      .array(
        component('EmailBreach', {
          source: text,
          breach_date: text.nullable(),
          trust_weight: z.number().min(0).max(1),
          country: text.nullable(),
          industry: text.nullable(),
        }),
      )
      .nullable(),
  }),
  identity_intelligence: component('EmailIdentity', {
    match_risk_score: risk.nullable(),
    online_accounts_count: count.nullable(),
    online_accounts: z
      .array(component('OnlineAccount', { service: text, url: text.nullable(), since: text.nullable() }))
      .nullable(),
    connected_names: z.array(text),
    connected_phones: z.array(text).describe('Masked.'),
    claim_matches: component('ClaimMatches', { name: match, phone: match, country: match }),
  })
    .optional()
    .describe('Only when it was asked for.'),
});

const claims = component('EmailClaims', {
  name: component('ClaimedName', { first: text.nullable(), last: text.nullable() }).nullable(),
  phone: text.nullable(),
  country: text.nullable(),
});

export const record = component('EmailCheck', {
  request_id: uuid.describe('Id of the check.'),
  batch_id: uuid.nullable(),
  project_id: uuid,
  event_type: z.literal('email.intelligence.completed'),
  created_at: timestamp,
  completed_at: timestamp,
  status: z.enum(['success', 'error']),
  data: component('EmailCheckData', {
    input: component('EmailCheckInput', { email: text.nullable(), claims: claims.nullable() }),
    result: result.nullable().describe('Null when the status is error.'),
  }),
  error: component('EmailCheckError', { email: text.nullable(), code: text, message: text })
    .nullable()
    .describe('Null when the status is success.'),
});

const page = { results: z.array(record), next_cursor: text.nullable().describe('Null on the last page.') };

/** Generators of clients want to read that every alternative is an object. */
const OBJECT = { type: 'object' } as const;

const batch = {
  batch_id: uuid,
  batch_name: text.nullable(),
  status: z.enum(['pending', 'processing', 'completed']),
  total_count: count,
};

/** Bodies of the answers of email checks, for openapi.json and for the tests that hold real answers against them. */
export const EMAIL_RESPONSE_SHAPES: Readonly<Record<string, z.ZodType>> = {
  'email.check': z
    .union([
      component('StartedEmailCheck', {
        request_id: uuid,
        webhook_configured: z.boolean(),
        result: record.optional().describe('With wait, when it is ready in time.'),
      }),
      component('StartedEmailBatch', {
        ...batch,
        webhook_configured: z.boolean(),
        completed_count: count.optional().describe('With wait.'),
        results: page.results.optional().describe('With wait: the first 100 results.'),
        next_cursor: page.next_cursor.optional(),
      }),
    ])
    .meta(OBJECT),
  'email.get': z
    .union([record, component('PendingEmailCheck', { request_id: uuid, status: z.literal('pending') })])
    .meta(OBJECT),
  'email.get_batch': component('EmailBatch', { ...batch, completed_count: count, ...page }),
};
