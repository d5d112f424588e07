import { isMobileDevice } from '../automation/mobile-device.ts';
import { type SessionFacts, type SignalCode, weigh } from '../evidence/evidence.ts';
import { HOME_ROUTED_CONFIDENCE } from '../evidence/weights.ts';
import { deviceTimezone, isHomeRouted, isMaskedTimezone } from '../geo/country-claims.ts';
import { placeConfidence } from '../geo/place.ts';
import { formatOffset, isUniversalTime, timezoneOffsetMinutes } from '../geo/timezones.ts';
import type { NetworkFacts } from '../network/network-facts.ts';

/** A device's clock against its network's: this much for any difference, more by the hour, and no more than the cap. */
const CLOCK_WEIGHTS = { base: 0.25, perHour: 0.08, cap: 0.65, vpn: 0.35, proxy: 0.2 } as const;
const WEIGHTS = {
  vpn: CLOCK_WEIGHTS.vpn,
  proxy: CLOCK_WEIGHTS.proxy,
  deviceNetworkMismatch: CLOCK_WEIGHTS.cap,
  locationSpoofing: CLOCK_WEIGHTS.cap,
} as const;

/** A clock on UTC more often means "hidden" (Tor Browser, Firefox that resists fingerprinting) than "elsewhere". */
const HIDDEN_TIMEZONE_CONFIDENCE = 0.4;

export const ipTimezoneMismatch = {
  code: 'ip_timezone_mismatch',
  family: 'network',
  describes:
    'Difference between the UTC offsets of the device and of the location of the address. The weight ' +
    'grows with the difference in hours.',
  needs: 'time zone or clock offset of the device (minutes); location of the address',
  limits:
    'That the address is forged. Roaming, and the rough locations of mobile networks, cause differences too, and count less.',
  weights: WEIGHTS,
  evaluate(facts) {
    const { network, startTime } = facts;
    const device = deviceClock(facts);
    const place = timezoneOffsetMinutes(network.location.timezone, startTime);
    if (device === null || place === null || device.offsetMinutes === place) return null;
    const mismatch = mismatchWeight(Math.abs(device.offsetMinutes - place) / 60);
    const confidence = placeConfidence(network, isMobileDevice(facts)) * device.confidence;
    if (confidence === 0) return null;
    return {
      code: 'ip_timezone_mismatch',
      family: 'network',
      group: 'timezone',
      ...weigh(
        { deviceNetworkMismatch: mismatch, locationSpoofing: mismatch, ...anonymizerWeights(network) },
        confidence,
      ),
      confidence,
      source: device.source,
      sourceAsOf: null,
      observed: `device ${formatOffset(device.offsetMinutes)}, network ${formatOffset(place)}`,
    };
  },
} satisfies SignalCode;

/** Anonymizers that may have routed the connection there: a VPN from its servers, a proxy also from a home connection. */
function anonymizerWeights({ connectionType }: NetworkFacts) {
  const { vpn, proxy } = CLOCK_WEIGHTS;
  return connectionType === 'isp' ? { vpn, proxy } : { vpn };
}

type Clock = { offsetMinutes: number; confidence: number; source: 'browser_timezone' | 'browser_clock' };

/** The zone by its name; by the clock's own offset when the name is missing, unknown or hides the place. */
function deviceClock(facts: SessionFacts): Clock | null {
  const zone = deviceTimezone(facts);
  const named = timezoneOffsetMinutes(zone, facts.startTime);
  const isHidden = isUniversalTime(zone) || isMaskedTimezone(zone, facts);
  const roaming = isHomeRouted(facts) ? HOME_ROUTED_CONFIDENCE : 1;
  if (named !== null && !isHidden) {
    return { offsetMinutes: named, confidence: roaming, source: 'browser_timezone' };
  }
  const offsetMinutes = clockOffsetMinutes(facts);
  if (offsetMinutes !== null && offsetMinutes !== 0) {
    return { offsetMinutes, confidence: roaming, source: 'browser_clock' };
  }
  if (named === null && offsetMinutes === null) return null;
  const source = named === null ? 'browser_clock' : 'browser_timezone';
  return { offsetMinutes: 0, confidence: roaming * HIDDEN_TIMEZONE_CONFIDENCE, source };
}

/** Minutes ahead of UTC, as zones count; Date#getTimezoneOffset counts minutes behind. No clock is over 14 h off. */
function clockOffsetMinutes({ browser, checks }: SessionFacts): number | null {
  const behind = browser.timezoneOffsetMinutes ?? checks?.timezoneOffsetMinutes ?? null;
  if (behind === null || !Number.isInteger(behind) || Math.abs(behind) > 840) return null;
  return behind === 0 ? 0 : -behind;
}

/** Offsets are compared, not names: many zones keep the same time. The weight grows with the hours, up to a cap. */
function mismatchWeight(hours: number): number {
  return Math.min(CLOCK_WEIGHTS.base + CLOCK_WEIGHTS.perHour * hours, CLOCK_WEIGHTS.cap);
}
