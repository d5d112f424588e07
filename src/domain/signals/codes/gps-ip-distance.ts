import { type SignalCode, weigh } from '../evidence.ts';
import { distanceKm } from '../geo/coordinates.ts';
import { gpsPosition, placeConfidence, placeRadiusKm } from '../place.ts';
import { GPS_DISTANCE_WEIGHTS } from '../weights.ts';

export const gpsIpDistance = {
  code: 'gps_ip_distance',
  family: 'network',
  describes: 'A device that is far from the place of its own address hides one of the two.',
  needs: "the device's position with its accuracy, and the place of the address",
  evaluate({ gps, network }) {
    const position = gpsPosition(gps);
    const apart = position && distanceKm(position, network.location);
    if (apart === null) return null;
    const km = apart - placeRadiusKm(network, position) - placeRadiusKm(network, null);
    const confidence = placeConfidence(network);
    if (!(km > 0) || confidence === 0) return null;
    const weight = GPS_DISTANCE_WEIGHTS.most * (1 - Math.exp(-km / GPS_DISTANCE_WEIGHTS.scaleKm));
    return {
      code: 'gps_ip_distance',
      family: 'network',
      group: 'gps',
      contributions: weigh({ locationSpoofing: weight }, confidence),
      confidence,
      source: 'gps',
      sourceAsOf: null,
      observed: `${Math.round(km)} km apart beyond what either may be off`,
    };
  },
} satisfies SignalCode;
