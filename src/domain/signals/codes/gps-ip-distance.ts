import { isHandheld } from '../automation/handheld.ts';
import { type SignalCode, weigh } from '../evidence.ts';
import { distanceKm } from '../geo/coordinates.ts';
import { gpsCountry, isHomeRouted } from '../geo/country-claims.ts';
import { gpsPosition } from '../gps-position.ts';
import { placeConfidence, placeRadiusKm } from '../place.ts';
import { GPS_DISTANCE_WEIGHTS, HOME_ROUTED_CONFIDENCE } from '../weights.ts';

export const gpsIpDistance = {
  code: 'gps_ip_distance',
  family: 'network',
  describes: 'A device that is far from the place of its own address hides one of the two.',
  needs: "the device's position with its accuracy, and the place of the address",
  evaluate(facts) {
    const { gps, network } = facts;
    const position = gpsPosition(gps);
    const apart = position && distanceKm(position, network.location);
    if (apart === null) return null;
    const km = apart - placeRadiusKm(network, position) - placeRadiusKm(network, null);
    const confidence =
      placeConfidence(network, isHandheld(facts)) * (isHomeRouted(facts) ? HOME_ROUTED_CONFIDENCE : 1);
    const same =
      gpsCountry(facts) === network.location.countryCode &&
      (network.connectionType === 'mobile' || (isHandheld(facts) && network.connectionType === 'isp'));
    if (!(km > 0) || confidence === 0) return null;
    const weight = GPS_DISTANCE_WEIGHTS.most * (1 - Math.exp(-km / GPS_DISTANCE_WEIGHTS.scaleKm));
    return {
      code: 'gps_ip_distance',
      family: 'network',
      group: 'gps',
      contributions: weigh({ locationSpoofing: weight }, same ? confidence * 0.5 : confidence),
      confidence,
      source: 'gps',
      sourceAsOf: null,
      observed: `${Math.round(km)} km apart beyond what either may be off`,
    };
  },
} satisfies SignalCode;
