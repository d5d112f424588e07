import type { GpsFacts, SessionFacts, SessionTrace } from '../evidence/evidence.ts';
import {
  GPS_UNKNOWN_ACCURACY_KM,
  PLACE_RADIUS_KM,
  RELAY_ANONYMITY,
  ROUGH_LOCATION_CONFIDENCE,
} from '../evidence/weights.ts';
import type { NetworkFacts } from '../network/network-facts.ts';
import { coordinatesOf } from './coordinates.ts';
import { isHomeRouted, timezoneCountries } from './country-claims.ts';
import { countryOfPoint } from './country-of-point.ts';
import { gpsPosition } from './gps-position.ts';

/** Radius of a session's place, in kilometers: of the device's position when it sent one, else of its address. */
export function placeRadiusKm(network: NetworkFacts, gps: GpsFacts | null): number {
  if (gps) return gps.accuracyM === null ? GPS_UNKNOWN_ACCURACY_KM : Math.max(1, gps.accuracyM) / 1000;
  if (coordinatesOf(network.location) === null) return PLACE_RADIUS_KM.countryOnly;
  switch (network.connectionType) {
    case 'satellite':
      return PLACE_RADIUS_KM.satellite;
    case 'mobile':
      return PLACE_RADIUS_KM.mobile;
    case 'hosting':
    case 'private_relay':
      return PLACE_RADIUS_KM.hosting;
    default:
      return PLACE_RADIUS_KM.isp;
  }
}

/** Confidence that the place of an address is that of its user, 0..1, by the country and the kind of network. */
export function placeConfidence(
  { connectionType, countryConfidence }: NetworkFacts,
  isMobile = false,
): number {
  const isRough =
    connectionType === 'mobile' || connectionType === 'satellite' || (isMobile && connectionType === 'isp');
  return countryConfidence * (isRough ? ROUGH_LOCATION_CONFIDENCE : 1);
}

/** What later sessions of the account are compared with. The scores are those of the session. */
export function traceOf(
  facts: SessionFacts,
  scores: { vpn: number; proxy: number; tor: number },
  device: string,
): SessionTrace {
  const { network, mobile, startTime } = facts;
  return {
    startTime,
    ...placeOf(facts),
    anonymity: anonymityOf(network, scores),
    connectionType: network.connectionType,
    device,
    bootCount: mobile?.bootCount ?? null,
    uptimeSeconds: mobile?.uptimeSeconds ?? null,
  };
}

/** The device's position is nearer than any place of an address, and another code compares the two. */
function placeOf(
  facts: SessionFacts,
): Pick<SessionTrace, 'countryCode' | 'latitude' | 'longitude' | 'radiusKm'> {
  const { network, gps } = facts;
  const position = gpsPosition(gps);
  if (!position && isElsewhere(facts)) return { ...UNKNOWN_PLACE };
  const { latitude, longitude } = position ?? coordinatesOf(network.location) ?? NOWHERE;
  const gpsCountry = position ? countryOfPoint(position.latitude, position.longitude) : '';
  return {
    countryCode: gpsCountry || network.location.countryCode,
    latitude,
    longitude,
    radiusKm: placeRadiusKm(network, position),
  };
}

/** A phone with a home routed address and the clock of another country is in that country. */
function isElsewhere(facts: SessionFacts): boolean {
  const countries = timezoneCountries(facts);
  return (
    isHomeRouted(facts) && countries.length > 0 && !countries.includes(facts.network.location.countryCode)
  );
}

/** The address of a roaming phone may be its operator's at home, which does not identify its place. */
const UNKNOWN_PLACE = {
  countryCode: '',
  latitude: null,
  longitude: null,
  radiusKm: PLACE_RADIUS_KM.countryOnly,
} as const;

const NOWHERE = { latitude: null, longitude: null };

function anonymityOf(
  { connectionType, feeds }: NetworkFacts,
  { vpn, proxy, tor }: { vpn: number; proxy: number; tor: number },
): number {
  const isRelay = connectionType === 'private_relay' || feeds.some(({ kind }) => kind === 'relay');
  return Math.max(vpn, proxy, tor, isRelay ? RELAY_ANONYMITY : 0);
}
