import { z } from 'zod';
import { EMAIL_RESPONSE_SHAPES } from './email-response-shapes.ts';
import type { MatchType, PhoneLineType } from './generated/operations.ts';

/** Bodies of the answers, for openapi.json and for the tests that hold real answers against them. */

const score = z.number().min(0).max(1);
const uuid = z
  .string()
  .regex(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/)
  .meta({ examples: ['01975a8e-3b18-7c11-9d0e-5f2a8c4b7e61'] });
const timestamp = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}Z$/)
  .meta({ examples: ['2025-06-10T16:35:22.184Z'] });
const count = z
  .int()
  .min(0)
  .meta({ examples: [2] });
const decision = z.enum(['Real', 'Suspicious', 'Fake']);
const text = z.string();
const number = z.number().nullable();
const metadata = z.record(z.string(), z.unknown());

const reason = z.strictObject({
  code: text,
  contributions: z.record(z.string(), score),
  confidence: score,
  source: text,
  source_as_of: text.nullable(),
  observed: text,
});

const SCORE_KEYS = [
  'device_risk',
  'proxy',
  'vpn',
  'tor',
  'datacenter',
  'recent_fraud_ip',
  'impossible_travel',
  'device_network_mismatch',
  'location_spoofing',
] as const;

const keyed = <T extends z.ZodType>(keys: readonly string[], value: T) =>
  z.strictObject(Object.fromEntries(keys.map((key) => [key, value])) as Record<string, T>);

const sessionFields = {
  request_id: uuid,
  project_id: uuid,
  session_id: uuid,
  start_time: timestamp,
  true_country_code: text
    .length(2)
    .meta({ examples: ['FR'] })
    .optional(),
  device_id: text,
  source: z.enum(['web', 'ios', 'android']),
  source_version: text,
  network: z.strictObject({ ip_address: text, service_provider: text, connection_type: text }),
  location: z.strictObject({
    continent: text,
    country_code: text,
    state: text,
    city: text,
    zip_code: text,
    timezone: text,
    latitude: number,
    longitude: number,
  }),
  browser: z.strictObject({ type: text, version: text, language: text, user_agent: text, timezone: text }),
  device: z.strictObject({
    category: z.enum(['desktop', 'mobile', 'tablet', 'console', 'smarttv', 'wearable', 'embedded', 'other']),
    type: text,
    os: text,
    gpu: text,
    cpu_cores: number,
    memory: number,
    screen_height: number,
    screen_width: number,
  }),
  bot: z.strictObject({
    mouse_num_events: count,
    click_num_events: count,
    keyboard_num_events: count,
    touch_num_events: count,
    clipboard_num_events: count,
  }),
  risk_signals: keyed([...SCORE_KEYS, 'spoofed_ip'], z.boolean()),
  risk_signal_scores: keyed(SCORE_KEYS, score),
  risk_signal_details: z.strictObject({ network: z.array(reason), device: z.array(reason) }),
  mobile: z
    .strictObject({
      brand: text,
      model: text,
      ram_mb: number,
      boot_count: number,
      uptime_seconds: number,
      battery: z.strictObject({ level: number, charging: z.boolean().nullable() }),
      languages: z.array(text),
      integrity: z.strictObject({ provider: text, verdict: text, verdicts: z.array(text) }),
    })
    .optional(),
  carrier: z.strictObject({ name: text, country_code: text, mcc: text, mnc: text }).optional(),
  location_spoofing: score,
};

const session = z.strictObject(sessionFields);
const recent = z.strictObject({ '1_day': count, '7_day': count });

const scores = {
  account_score: score,
  bot: score,
  multiple_accounts: score,
  risk_signals: score,
  accounts_linked: count,
  lists: z.array(text),
};

const history = {
  num_sessions: count,
  first_seen: timestamp.nullable(),
  last_seen: timestamp.nullable(),
  last_session: text,
  country: text,
  countries: z.array(text),
};

const facts = {
  unique_devices: recent,
  unique_networks: recent,
  email: z.strictObject({
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
  risk_signal_average: keyed([...SCORE_KEYS, 'spoofed_ip'], score),
};

const accountFields = z.strictObject({
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

const accountRecord = z.strictObject({
  project_id: uuid,
  request_id: uuid,
  account: accountFields,
  ...history,
  decision,
  ...scores,
  ...facts,
});

/** A record, so that a kind of line that the schema adds is missed by the compiler. */
const LINE_TYPES: Readonly<Record<PhoneLineType, PhoneLineType>> = {
  mobile: 'mobile',
  fixed_line: 'fixed_line',
  fixed_line_or_mobile: 'fixed_line_or_mobile',
  toll_free: 'toll_free',
  premium_rate: 'premium_rate',
  shared_cost: 'shared_cost',
  voip: 'voip',
  personal_number: 'personal_number',
  pager: 'pager',
  uan: 'uan',
  voicemail: 'voicemail',
  unknown: 'unknown',
};

/** A record, so that a kind that the schema adds is missed by the compiler. */
const MATCH_KINDS: Readonly<Record<MatchType, MatchType>> = {
  network: 'network',
  email: 'email',
  browser: 'browser',
  device: 'device',
  phone: 'phone',
  username: 'username',
  name: 'name',
  face: 'face',
  document_number: 'document_number',
  document_name: 'document_name',
  date_of_birth: 'date_of_birth',
  id_number: 'id_number',
};
const matchKinds = z.array(z.enum(MATCH_KINDS)).describe('Every kind of evidence that the link rests on.');

const linkedAccount = z.strictObject({
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

const sessionDone = z.strictObject({ request_id: uuid, session_id: uuid, success: z.literal(true) });

const listDone = z.strictObject({ request_id: uuid, message: text, success: z.literal(true) });

const verificationParts = {
  metadata: z.strictObject({
    project_id: uuid,
    session_id: uuid,
    account_id: text.nullable(),
    referring_session_id: uuid.nullable(),
    request_id: uuid,
    timestamp,
  }),
  decision,
  risk_score: score,
  risk_flags: z.array(text),
  lists: z.array(text),
  rules: z.array(text),
  device_network_signals: keyed(
    [
      'device_risk',
      'proxy',
      'vpn',
      'datacenter',
      'tor',
      'spoofed_ip',
      'recent_fraud_ip',
      'device_network_mismatch',
      'location_spoofing',
    ],
    score,
  ),
  referring_session_signals: keyed(
    [
      'impossible_travel',
      'ip_mismatch',
      'user_agent_mismatch',
      'device_timezone_mismatch',
      'ip_timezone_mismatch',
    ],
    score,
  ),
  session_data: z.strictObject({
    true_country_code: sessionFields.true_country_code,
    network: sessionFields.network,
    location: sessionFields.location,
    browser: sessionFields.browser,
    device: sessionFields.device.omit({ screen_height: true, screen_width: true }),
  }),
  matches: z.strictObject({
    num_accounts_linked: count,
    accounts_linked: z.array(
      z.strictObject({
        account_id: text,
        match_types: z.array(z.enum(['face', 'ip_address', 'browser', 'document_number', 'document_name'])),
        match_kinds: matchKinds,
      }),
    ),
  }),
};

const usDate = z.string().regex(/^(\d{2}\/\d{2}\/\d{4})?$/);

const documentParts = {
  document_signals: z.strictObject({
    id_age: z.int().nullable(),
    face_age_estimate: z
      .enum([
        'under8',
        'over8',
        'over13',
        'over16',
        'over18',
        'over21',
        'over25',
        'over30',
        'over40',
        'over50',
        'over65',
      ])
      .nullable(),
    id_face_match_score: score.nullable(),
    id_barcode_status: z.enum([
      'no_barcode_specificed_by_template',
      'barcode_requested_but_not_found',
      'barcode_requested_but_error_reading',
      'success',
      'barcode_requested_and_read_but_could_not_parse',
    ]),
    id_face_status: z.enum([
      'not_available',
      'likely_original_face',
      'cannot_confirm_id_is_authentic',
      'ocr_template_does_not_support_detection',
    ]),
    id_text_status: z.enum(['not_available', 'likely_original_text', 'cannot_confirm_id_is_authentic']),
    is_id_digital_spoof: z.enum([
      'likely_physical_id',
      'could_not_confidently_determine_physical_id_user_needs_to_retry',
    ]),
    is_full_id_captured: z.enum([
      'full_id_detected',
      'could_not_confidently_determine_full_id_user_needs_to_retry',
    ]),
    id_validity: z.enum(['likely_authentic_id', 'likely_fake_id', 'cannot_confirm_id_is_authentic']),
    name_not_found: z.boolean(),
    name_partially_missing: z.boolean(),
    is_digital_id: z.boolean(),
  }),
  document_data: z
    .strictObject({
      template_info: z.strictObject({
        document_country_code: text,
        document_state: text,
        template_type: text,
      }),
      user_data: z.strictObject({
        first_name: text,
        last_name: text,
        date_of_birth: usDate,
        date_of_expiration: usDate,
        date_of_issue: usDate,
        id_number: text,
        id_number2: text,
        address: z.strictObject({ city: text, country: text, postal_code: text, state: text, street: text }),
      }),
    })
    .optional(),
  photo_urls: z
    .strictObject({ face: text.optional(), id_scan_front: text.optional(), id_scan_back: text.optional() })
    .optional(),
  video_urls: z.array(text).optional(),
};

const phoneParts = z.strictObject({
  valid: z.boolean(),
  phone_number: text.describe('E.164 where the number is valid, else as it was given.'),
  calling_country_code: text.describe('Digits; empty unless the number is possible.'),
  country_code: text.describe('ISO 3166-1 alpha-2; empty when unknown, and for calling codes of no country.'),
  carrier_name: text.describe('Carrier that the range was assigned to; empty when unknown.'),
  line_type: z.enum(LINE_TYPES),
  possible: z.boolean().nullable().describe('Null for a national number without its country.'),
  region: text.describe('Place of the area code; empty when unknown.'),
  timezones: z.array(text),
  risk: z.strictObject({
    risk_score: score.nullable().describe('Null for a national number without its country.'),
    risk_signals: z.array(z.strictObject({ code: text, weight: score, source: text, evidence: text })),
  }),
  history: z.strictObject({
    first_seen: timestamp.nullable(),
    last_seen: timestamp.nullable(),
    accounts: count,
    sessions: count,
    countries: z.array(text),
    lists: z.array(z.strictObject({ name: text, effect: z.enum(['none', 'block', 'allow']) })),
    fake_accounts: count,
  }),
});

/** The body of each operation's answer with status 200. */
export const RESPONSE_SHAPES: Readonly<Record<string, z.ZodType>> = {
  ...EMAIL_RESPONSE_SHAPES,
  'session.authenticate': z.strictObject({
    project_id: uuid,
    session_id: uuid,
    account_id: text,
    request_id: uuid,
    decision,
    ...scores,
    session,
    account: z.strictObject({
      account: accountFields,
      ...history,
      ...facts,
    }),
    linked_accounts: z.array(linkedAccount).optional(),
  }),
  'session.score': z.strictObject({
    project_id: uuid,
    session_id: uuid,
    request_id: uuid,
    decision,
    ...scores,
    session,
    linked_accounts: z.array(linkedAccount).optional(),
  }),
  'session.get': z.strictObject({ account_ids: z.array(text), ...sessionFields }),
  'account.update': accountRecord,
  'account.get': accountRecord,
  'account.delete': z.strictObject({ request_id: uuid, account_id: text, success: z.literal(true) }),
  'account.linked': z.strictObject({ request_id: uuid, accounts_linked: z.array(linkedAccount) }),
  'account.sessions': z.strictObject({ request_id: uuid, sessions: z.array(uuid) }),
  'session.create': z.strictObject({
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
  'verification.create': z.strictObject({ request_id: uuid, session_id: uuid, session_url: text }),
  'verification.verify_id': z.strictObject({ ...verificationParts, ...documentParts }),
  'verification.verify_face': z.strictObject({
    ...verificationParts,
    photo_urls: z.strictObject({ face: text.optional() }),
    video_urls: z.array(text),
  }),
  'verification.verify_identity': z.strictObject({
    request_id: uuid,
    success: z.literal(true),
    match: z.boolean(),
  }),
  'verification.enroll': z.strictObject({ request_id: uuid, success: z.literal(true) }),
  'phone.check': z.strictObject({ project_id: uuid, request_id: uuid, phone: phoneParts }),
  'list.all': z.strictObject({
    request_id: uuid,
    lists: z.array(z.strictObject({ name: text, description: text })),
  }),
  'list.get': z.strictObject({
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
  'list.move': z.strictObject({
    request_id: uuid,
    success: z.literal(true),
    results: z.array(
      z.strictObject({ account_id: text, outcome: z.enum(['moved', 'conflict', 'not_found']) }),
    ),
    moved: count,
    conflict: count,
    not_found: count,
  }),
  'list.add_account': listDone,
  'list.remove_account': listDone,
};
