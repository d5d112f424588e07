import { parseChecks } from '../device/checks.ts';
import { headerTags } from '../device/primary-language.ts';
import type { UserAgentFacts } from '../device/user-agent.ts';
import type {
  EdgeFacts,
  GpsFacts,
  InteractionCounts,
  MobileSignals,
  SessionFacts,
} from '../evidence/evidence.ts';
import type { NetworkFacts } from '../network/network-facts.ts';
import { type BotFacts, type SessionFactsInput, sourceOf } from './session-input.ts';
import type { StoredFacts } from './stored-facts.ts';

/** Position of the proxy that measures round trips. */
export type EdgePosition = { latitude: number; longitude: number };

/** Facts for the signal codes, from sent and observed facts. */
export function signalFacts(
  { input, observed }: StoredFacts,
  startTime: Date,
  network: NetworkFacts,
  others: Pick<SessionFacts, 'laterNetworks' | 'webrtcNetworks'>,
  ua: UserAgentFacts,
  edgePosition: EdgePosition | null,
): SessionFacts {
  const { browser, device } = input;
  return {
    startTime,
    source: sourceOf(input),
    ip: observed.ip,
    network,
    laterNetworks: others.laterNetworks,
    webrtcNetworks: others.webrtcNetworks,
    userAgent: observed.userAgent,
    ua,
    headers: observed.headers,
    edge: edgeFacts(observed.edge, edgePosition),
    browser: {
      language: languageOf({ input, observed }),
      languages: browser?.languages ?? [],
      timezone: browser?.timezone ?? '',
      timezoneOffsetMinutes: browser?.timezoneOffsetMinutes ?? null,
      platform: browser?.platform ?? '',
    },
    device: {
      gpu: device?.gpu ?? '',
      cpuCores: device?.cpuCores ?? null,
      memory: device?.memory ?? null,
      screenWidth: device?.screenWidth ?? null,
      screenHeight: device?.screenHeight ?? null,
      pixelRatio: device?.pixelRatio ?? null,
      touchPoints: device?.touchPoints ?? null,
    },
    interaction: interactionOf(input.bot),
    checks: input.checks ? parseChecks(input.checks) : null,
    gps: gpsOf(input),
    mobile: mobileOf(input),
    carrier: input.carrier?.countryCode ? { countryCode: input.carrier.countryCode.toUpperCase() } : null,
  };
}

/** First language of the page, else the preferred one of the request; '' without a language. */
function languageOf({ input, observed }: StoredFacts): string {
  return input.browser?.language || (headerTags(observed.acceptLanguage)[0] ?? '');
}

function interactionOf(bot: BotFacts | null | undefined): InteractionCounts | null {
  if (!bot || Object.values(bot).every((count) => count == null)) return null;
  return {
    mouse: bot.mouseNumEvents ?? 0,
    click: bot.clickNumEvents ?? 0,
    keyboard: bot.keyboardNumEvents ?? 0,
    touch: bot.touchNumEvents ?? 0,
    clipboard: bot.clipboardNumEvents ?? 0,
  };
}

function gpsOf({ location }: SessionFactsInput): GpsFacts | null {
  if (location?.latitude == null || location.longitude == null) return null;
  const { latitude, longitude, accuracyM, mock } = location;
  return {
    latitude,
    longitude,
    accuracyM: accuracyM == null ? null : Math.max(1, accuracyM),
    mock: mock ?? null,
  };
}

function mobileOf({ mobile }: SessionFactsInput): MobileSignals | null {
  if (!mobile) return null;
  const { integrity } = mobile;
  const verdict = integrity?.verdict ? [integrity.verdict] : [];
  return {
    model: mobile.model ?? '',
    bootCount: mobile.bootCount ?? null,
    uptimeSeconds: mobile.uptimeSeconds ?? null,
    integrityProvider: integrity?.provider ?? '',
    integrityVerdicts: [...new Set([...verdict, ...(integrity?.verdicts ?? [])])],
  };
}

/** A round trip of 0 and an impossible time to live are no measurements. */
function edgeFacts(
  headers: Readonly<Record<string, string>>,
  position: EdgePosition | null,
): EdgeFacts | null {
  if (Object.keys(headers).length === 0) return null;
  const rttMicroseconds = positive(headers['x-tcp-rtt-us']);
  const ttl = positive(headers['x-ip-ttl']);
  return {
    ja4: headers['x-ja4'] ?? '',
    tcpRttMs: rttMicroseconds === null ? null : rttMicroseconds / 1000,
    position,
    ipTtl: ttl !== null && ttl <= 255 ? ttl : null,
  };
}

function positive(text: string | undefined): number | null {
  return text !== undefined && /^\d{1,9}$/.test(text) && Number(text) > 0 ? Number(text) : null;
}
