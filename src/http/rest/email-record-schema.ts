import {
  arrayOf,
  component,
  constant,
  count,
  described,
  nullable,
  number,
  optional,
  risk,
  score,
  text,
  timestamp,
  uuid,
  words,
} from './json-schema.ts';

/* The completed email check, which is JSON in the schema: the same object is the data of its event. */

const match = words(['match', 'partial_match', 'no_match', 'skipped']);

const result = component('EmailResult', {
  decision: words(['high_trust', 'trusted', 'moderate', 'risky', 'high_risk']),
  risk_score: risk,
  trust_signals: arrayOf(text),
  risk_signals: arrayOf(text),
  signal_details: described(
    arrayOf(
      component('EmailSignal', {
        code: text,
        side: words(['trust', 'risk']),
        weight: score,
        source: text,
        evidence: text,
      }),
    ),
    'Signals with their weight and evidence.',
  ),
  domain: component('EmailDomain', {
    risk_score: risk,
    fqdn: text,
    apex: text,
    type: words(['personal', 'business', 'education', 'government', 'relay', 'inactive', '']),
    age_years: nullable(number),
    country: nullable(text),
  }),
  email: component('EmailAddress', {
    username: text,
    normalized: text,
    first_seen_at: nullable(text),
    age_years: nullable(number),
    seen_countries: arrayOf(text),
  }),
  deliverability: component('EmailDeliverability', {
    risk_score: nullable(score),
    send_recommendation: nullable(words(['send', 'send_with_caution', 'do_not_send'])),
  }),
  breach_intelligence: component('EmailBreaches', {
    breach_count: nullable(count),
    trusted_breach_count: nullable(count),
    breach_list: nullable(
      arrayOf(
        component('EmailBreach', {
          source: text,
          breach_date: nullable(text),
          trust_weight: score,
          country: nullable(text),
          industry: nullable(text),
        }),
      ),
    ),
  }),
  identity_intelligence: optional(
    described(
      component('EmailIdentity', {
        match_risk_score: nullable(risk),
        online_accounts_count: nullable(count),
        online_accounts: nullable(
          arrayOf(component('OnlineAccount', { service: text, url: nullable(text), since: nullable(text) })),
        ),
        connected_names: arrayOf(text),
        connected_phones: described(
          arrayOf(text),
          'Phone numbers of accounts and profiles with the address. All but the last two digits are masked.',
        ),
        claim_matches: component('ClaimMatches', { name: match, phone: match, country: match }),
      }),
      'Identity intelligence. Absent if not requested.',
    ),
  ),
});

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
