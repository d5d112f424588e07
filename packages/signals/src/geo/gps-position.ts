import type { GpsFacts } from '../evidence/evidence.ts';
import { type Coordinates, coordinatesOf } from './coordinates.ts';

/** Position that the device sent, also when its system reports it as simulated; null for no place on the Earth. */
export function claimedPosition(gps: GpsFacts | null): (GpsFacts & Coordinates) | null {
  return gps && coordinatesOf(gps) ? gps : null;
}

/** The device's own position; null when its system reports it as simulated, or for no place on the Earth. */
export function gpsPosition(gps: GpsFacts | null): (GpsFacts & Coordinates) | null {
  return gps && gps.mock !== true && coordinatesOf(gps) ? gps : null;
}
