import type { GpsFacts } from './evidence.ts';
import { type Coordinates, coordinatesOf } from './geo/coordinates.ts';

/** The device's own position, unless its system says that it is simulated or it is no place on the Earth. */
export function gpsPosition(gps: GpsFacts | null): (GpsFacts & Coordinates) | null {
  return gps && gps.mock !== true && coordinatesOf(gps) ? gps : null;
}
