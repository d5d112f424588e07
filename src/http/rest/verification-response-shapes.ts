import { z } from 'zod';
import {
  component,
  count,
  decision,
  keyed,
  matchKinds,
  score,
  text,
  timestamp,
  uuid,
} from './response-values.ts';
import { deviceFields, sessionFields } from './session-response-shapes.ts';

export const verificationParts = {
  metadata: component('VerificationMetadata', {
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
    'DeviceNetworkSignals',
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
    'ReferringSessionSignals',
    [
      'impossible_travel',
      'ip_mismatch',
      'user_agent_mismatch',
      'device_timezone_mismatch',
      'ip_timezone_mismatch',
    ],
    score,
  ),
  session_data: component('VerificationSession', {
    true_country_code: sessionFields.true_country_code,
    network: sessionFields.network,
    location: sessionFields.location,
    browser: sessionFields.browser,
    device: component('VerificationDevice', deviceFields),
  }),
  matches: component('VerificationMatches', {
    num_accounts_linked: count,
    accounts_linked: z.array(
      component('VerificationMatch', {
        account_id: text,
        match_types: z.array(z.enum(['face', 'ip_address', 'browser', 'document_number', 'document_name'])),
        match_kinds: matchKinds,
      }),
    ),
  }),
};

const usDate = z.string().regex(/^(\d{2}\/\d{2}\/\d{4})?$/);

export const documentParts = {
  document_signals: component('DocumentSignals', {
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
  document_data: component('DocumentData', {
    template_info: component('DocumentTemplate', {
      document_country_code: text,
      document_state: text,
      template_type: text,
    }),
    user_data: component('DocumentUserData', {
      first_name: text,
      last_name: text,
      date_of_birth: usDate,
      date_of_expiration: usDate,
      date_of_issue: usDate,
      id_number: text,
      id_number2: text,
      address: component('DocumentAddress', {
        city: text,
        country: text,
        postal_code: text,
        state: text,
        street: text,
      }),
    }),
  }).optional(),
  photo_urls: component('DocumentPhotoUrls', {
    face: text.optional(),
    id_scan_front: text.optional(),
    id_scan_back: text.optional(),
  }).optional(),
  video_urls: z.array(text).optional(),
};
