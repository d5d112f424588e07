import { type SignalCode, weigh } from '../evidence.ts';
import type { NetworkFacts } from '../network-intelligence.ts';
import { formatOffset, timezoneOffsetMinutes } from '../timezones.ts';
import { ROUGH_LOCATION_CONFIDENCE, TIMEZONE_WEIGHTS } from '../weights.ts';

export const ipTimezoneMismatch = {
  code: 'ip_timezone_mismatch',
  family: 'network',
  describes:
    "A device whose clock keeps another time than its network's place is far from there, or pretends to be.",
  needs: "the device's timezone and the place of the address",
  evaluate({ network, browser, startTime }) {
    const device = timezoneOffsetMinutes(browser.timezone, startTime);
    const place = timezoneOffsetMinutes(network.location.timezone, startTime);
    if (device === null || place === null || device === place) return null;
    const mismatch = mismatchWeight(Math.abs(device - place) / 60);
    const confidence = placeConfidence(network);
    return {
      code: 'ip_timezone_mismatch',
      family: 'network',
      group: 'timezone',
      contributions: weigh(
        { deviceNetworkMismatch: mismatch, locationSpoofing: mismatch, vpn: TIMEZONE_WEIGHTS.vpn },
        confidence,
      ),
      confidence,
      source: 'browser_timezone',
      sourceAsOf: null,
      observed: `device ${formatOffset(device)}, network ${formatOffset(place)}`,
    };
  },
} satisfies SignalCode;

/** Offsets are compared, not names: many zones keep the same time. More hours apart, more weight, up to a cap. */
function mismatchWeight(hours: number): number {
  return Math.min(TIMEZONE_WEIGHTS.base + TIMEZONE_WEIGHTS.perHour * hours, TIMEZONE_WEIGHTS.cap);
}

function placeConfidence({ connectionType, countryConfidence }: NetworkFacts): number {
  const isRough = connectionType === 'mobile' || connectionType === 'satellite';
  return countryConfidence * (isRough ? ROUGH_LOCATION_CONFIDENCE : 1);
}
