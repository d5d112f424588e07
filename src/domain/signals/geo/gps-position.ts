import type { GpsFacts } from '../evidence/evidence.ts';
import { type Coordinates, coordinatesOf } from './coordinates.ts';

/** Where the device says that it is, also when its system says that this is simulated; null for no place on the Earth. */
export function claimedPosition(gps: GpsFacts | null): (GpsFacts & Coordinates) | null {
  return gps && coordinatesOf(gps) ? gps : null;
}

/** The device's own position, unless its system says that it is simulated or it is no place on the Earth. */
export function gpsPosition(gps: GpsFacts | null): (GpsFacts & Coordinates) | null {
  return gps && gps.mock !== true && coordinatesOf(gps) ? gps : null;
}
