import { inputShape } from '@vouchgraph/platform/input-shape';
import { normalizeIp } from '@vouchgraph/platform/ip/ip-address';
import { jsonObjectShape } from '@vouchgraph/platform/json-object-shape';
import { LIMITS } from '@vouchgraph/platform/limits';
import { objectIdShape } from '@vouchgraph/platform/object-id';
import { numberBetween, wholeBetween } from '@vouchgraph/platform/wording';
import { z } from 'zod';
import { REPORTED_DEVICE } from '../device-facts.ts';

/*
 * Facts of a session that a page, an app or (in a sandbox) a server sends. Everything is optional; null means not sent.
 * These are claims: the assessment recomputes each verdict from them and from the observed connection.
 */

export const SESSION_SOURCES = ['web', 'ios', 'android'] as const;
export type SessionSource = (typeof SESSION_SOURCES)[number];

export const INTEGRITY_PROVIDERS = ['play_integrity', 'app_attest', 'device_check'] as const;

/** A field that can be absent or null. */
const text = (max: number, description: string) => z.string().max(max).nullish().describe(description);
const texts = (max: number, description: string) =>
  z.array(z.string().max(max)).max(32).nullish().describe(description);
const count = (description: string, max = 1_000_000_000) =>
  wholeBetween(0, max).nullish().describe(description);
const number = (min: number, max: number, description: string) =>
  numberBetween(min, max).nullish().describe(description);
const flag = (description: string) => z.boolean().nullish().describe(description);
const jsonObject = (description: string) => jsonObjectShape().nullish().describe(description);

export const sessionSourceShape = z.enum(SESSION_SOURCES);
export const integrityProviderShape = z.enum(INTEGRITY_PROVIDERS);

const browserFactsShape = inputShape('BrowserFactsInput', 'Facts that a browser reports.', {
  userAgent: text(2048, 'User agent. The header of a request from a page replaces it.'),
  language: text(64, 'Preferred language, BCP 47.'),
  languages: texts(64, 'All languages, BCP 47.'),
  timezone: text(64, 'IANA time zone.'),
  timezoneOffsetMinutes: wholeBetween(-1440, 1440)
    .nullish()
    .describe('Offset in minutes, as Date.getTimezoneOffset() returns it: positive west of UTC.'),
  platform: text(128, 'Value of navigator.platform.'),
  clientHints: jsonObject('User agent client hints.'),
});

// A width that is wrong is reported before a height.
const { screenHeight, ...otherReported } = REPORTED_DEVICE;

const deviceFactsShape = inputShape('DeviceFactsInput', 'Facts that a device reports.', {
  os: text(128, 'Operating system with version.'),
  type: text(128, 'Kind of device.'),
  ...otherReported,
  screenHeight,
  pixelRatio: number(0, 100, 'Number of device pixels per CSS pixel.'),
  touchPoints: count('Value of navigator.maxTouchPoints.', 1000),
  components: jsonObject('Components of a fingerprint. Devices with equal components are the same device.'),
});

const locationFactsShape = inputShape('LocationFactsInput', 'Location that a device reports.', {
  latitude: number(-90, 90, 'Degrees north, -90 to 90.'),
  longitude: number(-180, 180, 'Degrees east, -180 to 180.'),
  accuracyM: number(0, 50_000_000, 'Radius in meters.'),
  mock: flag('Whether the operating system marks the location as simulated.'),
});

const botFactsShape = inputShape('BotFactsInput', 'Counts of interactions.', {
  mouseNumEvents: count('Number of mouse movements.'),
  clickNumEvents: count('Number of clicks.'),
  keyboardNumEvents: count('Number of key presses.'),
  touchNumEvents: count('Number of touches.'),
  clipboardNumEvents: count('Number of copies and pastes.'),
});

const batteryFactsShape = inputShape('BatteryFactsInput', 'Battery of a phone.', {
  level: number(0, 1, 'Charge, 0 to 1.'),
  charging: flag('Whether the battery is charging.'),
});

const integrityFactsShape = inputShape(
  'IntegrityFactsInput',
  'Integrity verdict on the app and the device, by Google or Apple.',
  {
    provider: integrityProviderShape.nullish().describe('Service that issued the verdict.'),
    verdict: text(128, 'Verdict.'),
    verdicts: texts(128, 'All verdicts.'),
  },
);

const mobileFactsShape = inputShape('MobileFactsInput', 'Facts of a phone, from a mobile SDK.', {
  brand: text(128, 'Brand.'),
  model: text(128, 'Model.'),
  ramMb: count('Memory in MB.', 16_777_216),
  bootCount: count('Number of boots since the last reset.'),
  uptimeSeconds: number(0, 4_000_000_000, 'Time since boot in seconds.'),
  battery: batteryFactsShape.nullish().describe('Battery.'),
  languages: texts(64, 'Languages, BCP 47.'),
  integrity: integrityFactsShape.nullish().describe('Integrity verdicts.'),
});

const carrierFactsShape = inputShape('CarrierFactsInput', 'Operator of the SIM card.', {
  name: text(128, 'Name.'),
  countryCode: text(2, 'Country as ISO 3166-1 alpha-2.'),
  mcc: text(3, 'Mobile country code.'),
  mnc: text(3, 'Mobile network code.'),
});

const sessionFactsShape = inputShape(
  'SessionFactsInput',
  'Facts of a session, reported by the client. Facts are not verified. Risk signals compare them with ' +
    'each other and with the connection.',
  {
    source: sessionSourceShape.nullish().describe('Kind of client. WEB by default.'),
    sourceVersion: text(64, 'Version of the integration.'),
    browser: browserFactsShape.nullish().describe('Browser.'),
    device: deviceFactsShape.nullish().describe('Device.'),
    location: locationFactsShape.nullish().describe('Location of the device.'),
    bot: botFactsShape.nullish().describe('Counts of interactions.'),
    checks: jsonObject('Raw values of consistency checks.'),
    mobile: mobileFactsShape.nullish().describe('Phone, from a mobile SDK.'),
    carrier: carrierFactsShape.nullish().describe('SIM card, from a mobile SDK.'),
  },
);
export type SessionFactsInput = z.infer<typeof sessionFactsShape>;
export type BotFacts = z.infer<typeof botFactsShape>;

/** `source` as it was sent, `web` by default. */
export function sourceOf(input: SessionFactsInput): SessionSource {
  return input.source ?? 'web';
}

/** Facts that the gateway otherwise observes. */
const simulatedFactsShape = inputShape(
  'SimulatedFactsInput',
  'Facts of a simulated session. For other sessions the gateway observes them from the connection. ' +
    'Sandbox projects only.',
  {
    ipAddress: z
      .string()
      .max(64)
      .refine((ip) => normalizeIp(ip) !== null, 'must be an IPv4 or IPv6 address')
      .nullish()
      .describe('IPv4 or IPv6 address.'),
    headers: z.record(z.string(), z.string()).nullish().describe('HTTP header values by name.'),
    startTime: z.date().nullish().describe('Start of the session. The current time by default.'),
    browserId: text(256, 'First-party id of the browser, any text, at most 256 characters.'),
    deviceId: text(LIMITS.accountIdLength, 'Id of the device, any text. Responses contain a hash of it.'),
    open: flag('Whether the session stays open. False by default: the session is completed immediately.'),
  },
);
export type SimulatedFacts = z.infer<typeof simulatedFactsShape>;

export const createSessionShape = inputShape('CreateSessionInput', 'Session to open.', {
  facts: sessionFactsShape.nullish().describe('Facts, reported by the client.'),
  simulated: simulatedFactsShape
    .nullish()
    .describe(
      'Facts that the gateway observes for other sessions, such as the IP address. Sandbox projects only.',
    ),
});

export const addSessionFactsShape = inputShape('AddSessionFactsInput', 'Facts to add to an open session.', {
  sessionId: objectIdShape.describe('Id of the session.'),
  facts: sessionFactsShape.describe('Facts to add. They replace earlier values of the same fields.'),
});

export const completeSessionShape = inputShape('CompleteSessionInput', 'Session to complete.', {
  sessionId: objectIdShape.describe('Id of the session.'),
});

/**
 * Adds later facts to earlier ones: a new value replaces the earlier one, in each part separately; null and absent values
 * keep it.
 */
export function mergeSessionFacts(earlier: SessionFactsInput, later: SessionFactsInput): SessionFactsInput {
  return mergeGiven(earlier, later) as SessionFactsInput;
}

function mergeGiven(
  earlier: Record<string, unknown>,
  later: Record<string, unknown>,
): Record<string, unknown> {
  // A client may send a key `__proto__`, which would set the prototype of an object when it is assigned.
  const merged = new Map(Object.entries(earlier));
  for (const [key, value] of Object.entries(later)) {
    if (value === null || value === undefined) continue;
    const before = merged.get(key);
    merged.set(key, isPlainObject(value) && isPlainObject(before) ? mergeGiven(before, value) : value);
  }
  return Object.fromEntries(merged);
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);
}
