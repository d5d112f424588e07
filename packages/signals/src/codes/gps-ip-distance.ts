import { isMobileDevice } from '../automation/mobile-device.ts';
import { type SessionFacts, type SignalCode, weigh } from '../evidence/evidence.ts';
import { HOME_ROUTED_CONFIDENCE } from '../evidence/weights.ts';
import { distanceKm } from '../geo/coordinates.ts';
import { gpsCountry, isHomeRouted } from '../geo/country-claims.ts';
import { claimedPosition } from '../geo/gps-position.ts';
import { placeConfidence, placeRadiusKm } from '../geo/place.ts';

/** `0.85 · (1 − e^(−km / 400))`; half of it for a phone in the country of its address. */
const GPS_DISTANCE_WEIGHTS = { most: 0.85, scaleKm: 400, sameCountryPhone: 0.5 } as const;

export const gpsIpDistance = {
  code: 'gps_ip_distance',
  family: 'network',
  describes:
    'Distance between the device and the location of the address, beyond the radii of both. The weight ' +
    'grows with the distance in km.',
  needs: 'position and accuracy of the device (m); location of the address',
  limits: 'Which of the two is wrong.',
  weights: { locationSpoofing: GPS_DISTANCE_WEIGHTS.most },
  evaluate(facts) {
    const { gps, network } = facts;
    const position = claimedPosition(gps);
    const apart = position && distanceKm(position, network.location);
    if (apart === null) return null;
    const km = apart - placeRadiusKm(network, position) - placeRadiusKm(network, null);
    const confidence =
      placeConfidence(network, isMobileDevice(facts)) * (isHomeRouted(facts) ? HOME_ROUTED_CONFIDENCE : 1);
    if (!(km > 0) || confidence === 0) return null;
    const { most, scaleKm, sameCountryPhone } = GPS_DISTANCE_WEIGHTS;
    const factor = isOwnCountryOfPhone(facts) ? sameCountryPhone : 1;
    const weight = most * (1 - Math.exp(-km / scaleKm)) * factor;
    return {
      code: 'gps_ip_distance',
      family: 'network',
      group: 'gps',
      ...weigh({ locationSpoofing: weight }, confidence),
      confidence,
      source: 'gps',
      sourceAsOf: null,
      observed: `${Math.round(km)} km between both locations, beyond their radii`,
    };
  },
} satisfies SignalCode;

/** A phone's traffic often leaves the network in another city of its country, also over Wi-Fi of the same operator. */
function isOwnCountryOfPhone(facts: SessionFacts): boolean {
  const { connectionType, location } = facts.network;
  const isPhone = connectionType === 'mobile' || (connectionType === 'isp' && isMobileDevice(facts));
  return isPhone && gpsCountry(facts) === location.countryCode;
}
