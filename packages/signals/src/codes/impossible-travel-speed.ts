import { counts } from '../evidence/combine.ts';
import { type Evidence, type HistoryCode, type SessionTrace, weigh } from '../evidence/evidence.ts';
import { distanceBetweenCountriesKm } from '../geo/borders.ts';
import { distanceKm } from '../geo/coordinates.ts';

/**
 * Impossible travel: a logistic curve of the speed, `1 / (1 + e^(−(v − 900) / 120))`, less where an anonymizer hides
 * either place, and a little less on the same device. Closer than 100 km is no travel.
 */
const TRAVEL = {
  middleKmPerHour: 900,
  widthKmPerHour: 120,
  smallestKm: 100,
  shortestMinutes: 1,
  anonymity: 0.8,
  sameDevice: 0.8,
  windowDays: 7,
} as const;

export const impossibleTravelSpeed = {
  code: 'impossible_travel_speed',
  family: 'network',
  describes:
    'Travel speed between two sessions of the account, near or above that of an airliner. The sessions ' +
    'are at most 7 days and at least 100 km apart.',
  needs: 'locations and times of this session and the nearest ones of the account',
  limits:
    'Theft of the account by itself. A VPN moves the address and not the person, and reduces the contribution.',
  weights: { impossibleTravel: 1 },
  /** A session that is bound late also has a following one: both directions are examined. */
  evaluate({ session, previous, following }) {
    const found = [previous && travel(previous, session), following && travel(session, following)].filter(
      (each) => each !== null,
    );
    return found.length === 0 ? null : found;
  },
} satisfies HistoryCode;

function travel(previous: SessionTrace, session: SessionTrace): Evidence | null {
  const hours = hoursBetween(previous, session);
  const km = hours === null ? null : traveledKm(previous, session);
  if (hours === null || km === null || km < TRAVEL.smallestKm) return null;
  const likelihood = likelihoodOf(km / hours);
  const confidence = confidenceOf(previous, session);
  if (!counts(likelihood * confidence)) return null;
  return {
    code: 'impossible_travel_speed',
    family: 'network',
    group: 'travel',
    ...weigh({ impossibleTravel: likelihood }, confidence),
    confidence,
    source: 'earlier_session',
    sourceAsOf: null,
    observed: `at least ${Math.round(km)} km in ${formatHours(hours)}`,
  };
}

/** At least a minute, so that simultaneous sessions have a speed; null outside the window. */
function hoursBetween(previous: SessionTrace, session: SessionTrace): number | null {
  const minutes = (session.startTime.getTime() - previous.startTime.getTime()) / 60_000;
  if (!(minutes >= 0 && minutes <= TRAVEL.windowDays * 24 * 60)) return null;
  return Math.max(minutes, TRAVEL.shortestMinutes) / 60;
}

/**
 * Minimum distance between the two: the distance of the places minus both radiuses. Without a place of one of them, the
 * distance between their countries.
 */
function traveledKm(previous: SessionTrace, session: SessionTrace): number | null {
  const km = distanceKm(previous, session);
  return km === null
    ? distanceBetweenCountriesKm(previous.countryCode, session.countryCode)
    : km - previous.radiusKm - session.radiusKm;
}

/** Airliners do some 900 km/h: at that speed it is as likely as not. */
function likelihoodOf(kmPerHour: number): number {
  const { middleKmPerHour, widthKmPerHour } = TRAVEL;
  return 1 / (1 + Math.exp(-(kmPerHour - middleKmPerHour) / widthKmPerHour));
}

/** Lower where an anonymizer hides a place, as it moves the address and not the person, and on the same device. */
function confidenceOf(previous: SessionTrace, session: SessionTrace): number {
  const hidden = TRAVEL.anonymity * Math.max(previous.anonymity, session.anonymity);
  const isSameDevice = session.device !== '' && session.device === previous.device;
  return (1 - hidden) * (isSameDevice ? TRAVEL.sameDevice : 1);
}

function formatHours(hours: number): string {
  return hours < 1 ? `${Math.round(hours * 60)} min` : `${hours.toFixed(1)} h`;
}
