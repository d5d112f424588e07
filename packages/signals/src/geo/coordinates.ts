/** A point on the Earth in degrees. */
export type Coordinates = { latitude: number; longitude: number };

/** The mean radius of the Earth, R₁ of the GRS 80 ellipsoid. */
export const EARTH_RADIUS_KM = 6371.0088;

const RADIANS = Math.PI / 180;

/**
 * The coordinates when both exist and are on the Earth, or null: clients may send any value. 0, 0 is null too: receivers
 * without a fix and databases without a value report it, and only the open sea is there.
 */
export function coordinatesOf(place: {
  latitude: number | null;
  longitude: number | null;
}): Coordinates | null {
  const { latitude, longitude } = place;
  if (latitude === null || longitude === null) return null;
  if (latitude === 0 && longitude === 0) return null;
  return Math.abs(latitude) <= 90 && Math.abs(longitude) <= 180 ? { latitude, longitude } : null;
}

/**
 * The length of the shortest way between two points over the surface, by the haversine formula; within 0.6 % of the
 * way over the flattened Earth. null when either is no place on the Earth.
 */
export function distanceKm(
  from: Parameters<typeof coordinatesOf>[0],
  to: Parameters<typeof coordinatesOf>[0],
): number | null {
  const start = coordinatesOf(from);
  const end = coordinatesOf(to);
  return start && end ? haversineKm(start, end) : null;
}

function haversineKm(start: Coordinates, end: Coordinates): number {
  const halfNorth = Math.sin(((end.latitude - start.latitude) * RADIANS) / 2);
  const halfEast = Math.sin(((end.longitude - start.longitude) * RADIANS) / 2);
  const shrink = Math.cos(start.latitude * RADIANS) * Math.cos(end.latitude * RADIANS);
  const square = halfNorth * halfNorth + shrink * halfEast * halfEast;
  // Rounding can lift it above 1 for points that face each other.
  return 2 * EARTH_RADIUS_KM * Math.asin(Math.min(1, Math.sqrt(square)));
}
