import { isIP } from 'node:net';
import { z } from 'zod';
import { LIMITS } from '../../platform/limits.ts';
import { numberBetween, wholeBetween } from '../../platform/wording.ts';

/*
 * What a page, an app or (in a sandbox) a server tells about a session. Everything is optional; null means not given.
 * These are claims: the assessment recomputes each verdict from them and from what the connection itself shows.
 */

export const SESSION_SOURCES = ['web', 'ios', 'android'] as const;
export type SessionSource = (typeof SESSION_SOURCES)[number];

export const INTEGRITY_PROVIDERS = ['play_integrity', 'app_attest', 'device_check'] as const;

const text = (max: number) => z.string().max(max).nullish();
const count = wholeBetween(0, 1_000_000_000).nullish();
const jsonObject = z.record(z.string(), z.unknown()).nullish();

const browserFactsShape = z.object({
  userAgent: text(2048),
  language: text(64),
  languages: z.array(z.string().max(64)).max(32).nullish(),
  timezone: text(64),
  timezoneOffsetMinutes: wholeBetween(-1440, 1440).nullish(),
  platform: text(128),
  clientHints: jsonObject,
});

const deviceFactsShape = z.object({
  os: text(128),
  type: text(128),
  gpu: text(512),
  cpuCores: wholeBetween(0, 4096).nullish(),
  memory: numberBetween(0, 65_536).nullish(),
  screenWidth: wholeBetween(0, 100_000).nullish(),
  screenHeight: wholeBetween(0, 100_000).nullish(),
  pixelRatio: numberBetween(0, 100).nullish(),
  touchPoints: wholeBetween(0, 1000).nullish(),
  components: jsonObject,
});

const locationFactsShape = z.object({
  latitude: numberBetween(-90, 90).nullish(),
  longitude: numberBetween(-180, 180).nullish(),
  accuracyM: numberBetween(0, 50_000_000).nullish(),
  mock: z.boolean().nullish(),
});

const botFactsShape = z.object({
  mouseNumEvents: count,
  clickNumEvents: count,
  keyboardNumEvents: count,
  touchNumEvents: count,
  clipboardNumEvents: count,
});

const mobileFactsShape = z.object({
  brand: text(128),
  model: text(128),
  ramMb: wholeBetween(0, 16_777_216).nullish(),
  bootCount: count,
  uptimeSeconds: numberBetween(0, 4_000_000_000).nullish(),
  battery: z.object({ level: numberBetween(0, 1).nullish(), charging: z.boolean().nullish() }).nullish(),
  languages: z.array(z.string().max(64)).max(32).nullish(),
  integrity: z
    .object({
      provider: z.enum(INTEGRITY_PROVIDERS).nullish(),
      verdict: text(128),
      verdicts: z.array(z.string().max(128)).max(32).nullish(),
    })
    .nullish(),
});

const carrierFactsShape = z.object({
  name: text(128),
  countryCode: text(2),
  mcc: text(3),
  mnc: text(3),
});

export const sessionFactsShape = z.object({
  source: z.enum(SESSION_SOURCES).nullish(),
  sourceVersion: text(64),
  browser: browserFactsShape.nullish(),
  device: deviceFactsShape.nullish(),
  location: locationFactsShape.nullish(),
  bot: botFactsShape.nullish(),
  checks: jsonObject,
  mobile: mobileFactsShape.nullish(),
  carrier: carrierFactsShape.nullish(),
});
export type SessionFactsInput = z.infer<typeof sessionFactsShape>;
export type BotFacts = z.infer<typeof botFactsShape>;

/** `source` as it was told; a page that says nothing is the web. */
export function sourceOf(told: SessionFactsInput): SessionSource {
  return told.source ?? 'web';
}

/** What only a server with a sandbox key may state: what is otherwise observed. */
export const simulatedFactsShape = z.object({
  ipAddress: z
    .string()
    .max(64)
    .refine((ip) => isIP(ip) !== 0, 'must be an IPv4 or IPv6 address')
    .nullish(),
  headers: z.record(z.string(), z.string()).nullish(),
  startTime: z.date().nullish(),
  browserId: text(256),
  deviceId: text(LIMITS.accountIdLength),
  open: z.boolean().nullish(),
});
export type SimulatedFacts = z.infer<typeof simulatedFactsShape>;

/**
 * Adds later facts to earlier ones: a value that is given replaces the one before it, in each part by itself; null
 * and absent keep it.
 */
export function mergeSessionFacts(earlier: SessionFactsInput, later: SessionFactsInput): SessionFactsInput {
  return mergeGiven(earlier, later) as SessionFactsInput;
}

function mergeGiven(
  earlier: Record<string, unknown>,
  later: Record<string, unknown>,
): Record<string, unknown> {
  const merged = { ...earlier };
  for (const [key, value] of Object.entries(later)) {
    if (value === null || value === undefined) continue;
    const before = merged[key];
    merged[key] = isPlainObject(value) && isPlainObject(before) ? mergeGiven(before, value) : value;
  }
  return merged;
}

function isPlainObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);
}
