import { z } from 'zod';
import { VERIFICATION_KINDS } from '../../domain/model/verification-kind.ts';
import { PHONE_LINE_TYPES } from '../../domain/phone/phone-signals.ts';
import { EMAIL_RESPONSE_SHAPES } from './email-response-shapes.ts';
import {
  component,
  count,
  decision,
  keyed,
  matchKinds,
  metadata,
  score,
  text,
  timestamp,
  uuid,
} from './response-values.ts';
import { SCORE_KEYS, session, sessionFields } from './session-response-shapes.ts';
import { documentParts, verificationParts } from './verification-response-shapes.ts';

/** Bodies of the answers, for openapi.json and for the tests that hold real answers against them. */

const recent = component('RecentCounts', { '1_day': count, '7_day': count });

export const scores = {
  account_score: score,
  bot: score,
  multiple_accounts: score,
  risk_signals: score,
  accounts_linked: count,
  lists: z.array(text),
};

export const history = {
  num_sessions: count,
  first_seen: timestamp.nullable(),
  last_seen: timestamp.nullable(),
  last_session: text,
  country: text,
  countries: z.array(text),
};

export const facts = {
  unique_devices: recent,
  unique_networks: recent,
  email: component('EmailFacts', {
    email: text,
    disposable: z.boolean(),
    personal: z.boolean(),
    valid: z.boolean(),
    domain_type: text,
    email_score: z.number().min(-1).max(1),
    trust_signals: z.array(text),
    risk_signals: z.array(text),
    num_account_from_domain: count,
  }),
  risk_signal_average: keyed('RiskSignalAverage', [...SCORE_KEYS, 'spoofed_ip'], score),
};

export const accountFields = component('AccountFields', {
  id: text,
  email: text,
  phone: text,
  first_name: text,
  last_name: text,
  username: text,
  expected_countries: z.array(text),
  metadata,
  group: text,
  date_of_birth: text.optional().describe('YYYY-MM-DD; absent when unknown.'),
});

const accountRecord = component('Account', {
  project_id: uuid,
  request_id: uuid,
  account: accountFields,
  ...history,
  decision,
  ...scores,
  ...facts,
});

const linkedAccount = component('LinkedAccount', {
  account_id: text,
  score,
  match_type: z.array(z.enum(['network', 'email', 'browser', 'device', 'phone', 'username'])),
  match_kinds: matchKinds,
  email: text,
  phone: text,
  first_name: text,
  last_name: text,
  username: text,
  expected_countries: z.array(text),
  first_seen: timestamp,
  last_seen: timestamp,
  lists: z.array(text),
  metadata,
});

const sessionDone = component('SessionDone', {
  request_id: uuid,
  session_id: uuid,
  success: z.literal(true),
});

const listDone = component('ListDone', { request_id: uuid, message: text, success: z.literal(true) });

const phoneParts = component('Phone', {
  valid: z.boolean(),
  phone_number: text.describe('E.164 where the number is valid, else as it was given.'),
  calling_country_code: text.describe('Digits; empty unless the number is possible.'),
  country_code: text.describe('ISO 3166-1 alpha-2; empty when unknown, and for calling codes of no country.'),
  carrier_name: text.describe('Carrier that the range was assigned to; empty when unknown.'),
  line_type: z.enum(PHONE_LINE_TYPES),
  possible: z.boolean().nullable().describe('Null for a national number without its country.'),
  region: text.describe('Place of the area code; empty when unknown.'),
  timezones: z.array(text),
  risk: component('PhoneRisk', {
    risk_score: score.nullable().describe('Null for a national number without its country.'),
    risk_signals: z.array(
      component('PhoneSignal', { code: text, weight: score, source: text, evidence: text }),
    ),
  }),
  history: component('PhoneHistory', {
    first_seen: timestamp.nullable(),
    last_seen: timestamp.nullable(),
    accounts: count,
    sessions: count,
    countries: z.array(text),
    lists: z.array(component('PhoneHistoryList', { name: text, effect: z.enum(['none', 'block', 'allow']) })),
    fake_accounts: count,
  }),
});

/** The body of each operation's answer with status 200. */
export const RESPONSE_SHAPES: Readonly<Record<string, z.ZodType>> = {
  ...EMAIL_RESPONSE_SHAPES,
  'session.authenticate': component('AuthenticatedSession', {
    project_id: uuid,
    session_id: uuid,
    account_id: text,
    request_id: uuid,
    decision,
    required_verification: component('RequiredVerification', {
      kind: z.enum(VERIFICATION_KINDS),
      rule_name: text.describe('Name of the rule that requires it.'),
    })
      .optional()
      .describe('Check that a rule requires of the account; absent when none is required.'),
    ...scores,
    session,
    account: component('AuthenticatedAccount', {
      account: accountFields,
      ...history,
      ...facts,
    }),
    linked_accounts: z.array(linkedAccount).optional(),
  }),
  'session.score': component('ScoredSession', {
    project_id: uuid,
    session_id: uuid,
    request_id: uuid,
    decision,
    ...scores,
    session,
    linked_accounts: z.array(linkedAccount).optional(),
  }),
  'session.get': component('SessionRecord', { account_ids: z.array(text), ...sessionFields }),
  'account.update': accountRecord,
  'account.get': accountRecord,
  'account.delete': component('ErasedAccount', {
    request_id: uuid,
    account_id: text,
    success: z.literal(true),
  }),
  'account.linked': component('LinkedAccounts', {
    request_id: uuid,
    accounts_linked: z.array(linkedAccount),
  }),
  'account.sessions': component('AccountSessions', { request_id: uuid, sessions: z.array(uuid) }),
  'session.create': component('OpenedSession', {
    session_id: uuid,
    token: text,
    expires_at: timestamp,
    environment: z.enum(['sandbox', 'production']),
    browser_token: text
      .optional()
      .describe("The browser's signed id; only for pages that collect without a key"),
  }),
  'session.add_facts': sessionDone,
  'session.complete': sessionDone,
  'verification.create': component('CreatedVerification', {
    request_id: uuid,
    session_id: uuid,
    session_url: text,
  }),
  'verification.verify_id': component('IdCheckResult', { ...verificationParts, ...documentParts }),
  'verification.verify_face': component('FaceCheckResult', {
    ...verificationParts,
    photo_urls: component('FacePhotoUrls', { face: text.optional() }),
    video_urls: z.array(text),
  }),
  'verification.verify_identity': component('IdentityResult', {
    request_id: uuid,
    success: z.literal(true),
    match: z.boolean(),
  }),
  'verification.enroll': component('EnrolledFace', { request_id: uuid, success: z.literal(true) }),
  'phone.check': component('PhoneResult', { project_id: uuid, request_id: uuid, phone: phoneParts }),
  'list.all': component('Lists', {
    request_id: uuid,
    lists: z.array(component('List', { name: text, description: text })),
  }),
  'list.get': component('ListMembers', {
    request_id: uuid,
    description: text,
    accounts: z.array(text),
    next_cursor: text
      .nullable()
      .optional()
      .describe('Only when limit or cursor was given; null on the last page'),
  }),
  'list.create': listDone,
  'list.update': listDone,
  'list.delete': listDone,
  'list.move': component('MovedAccounts', {
    request_id: uuid,
    success: z.literal(true),
    results: z.array(
      component('MoveResult', { account_id: text, outcome: z.enum(['moved', 'conflict', 'not_found']) }),
    ),
    moved: count,
    conflict: count,
    not_found: count,
  }),
  'list.add_account': listDone,
  'list.remove_account': listDone,
};
