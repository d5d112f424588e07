import { z } from 'zod';
import { component, count, keyed, number, score, text, timestamp, uuid } from './response-values.ts';

const reason = component('ReasonCode', {
  code: text,
  contributions: z.record(z.string(), score),
  confidence: score,
  source: text,
  source_as_of: text.nullable(),
  observed: text,
});

export const SCORE_KEYS = [
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

export const deviceFields = {
  category: z.enum(['desktop', 'mobile', 'tablet', 'console', 'smarttv', 'wearable', 'embedded', 'other']),
  type: text,
  os: text,
  gpu: text,
  cpu_cores: number,
  memory: number,
};

export const sessionFields = {
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
  network: component('SessionNetwork', { ip_address: text, service_provider: text, connection_type: text }),
  location: component('SessionLocation', {
    continent: text,
    country_code: text,
    state: text,
    city: text,
    zip_code: text,
    timezone: text,
    latitude: number,
    longitude: number,
  }),
  browser: component('SessionBrowser', {
    type: text,
    version: text,
    language: text,
    user_agent: text,
    timezone: text,
  }),
  device: component('SessionDevice', {
    ...deviceFields,
    screen_height: number,
    screen_width: number,
  }),
  bot: component('SessionBot', {
    mouse_num_events: count,
    click_num_events: count,
    keyboard_num_events: count,
    touch_num_events: count,
    clipboard_num_events: count,
  }),
  risk_signals: keyed('RiskSignals', [...SCORE_KEYS, 'spoofed_ip'], z.boolean()),
  risk_signal_scores: keyed('RiskSignalScores', SCORE_KEYS, score),
  risk_signal_details: component('RiskSignalDetails', { network: z.array(reason), device: z.array(reason) }),
  mobile: component('SessionMobile', {
    brand: text,
    model: text,
    ram_mb: number,
    boot_count: number,
    uptime_seconds: number,
    battery: component('SessionBattery', { level: number, charging: z.boolean().nullable() }),
    languages: z.array(text),
    integrity: component('SessionIntegrity', { provider: text, verdict: text, verdicts: z.array(text) }),
  }).optional(),
  carrier: component('SessionCarrier', { name: text, country_code: text, mcc: text, mnc: text }).optional(),
  location_spoofing: score,
};

export const session = component('Session', sessionFields);
