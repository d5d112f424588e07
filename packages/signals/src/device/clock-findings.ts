import { LRUCache } from 'lru-cache';
import type { Finding } from '../automation/finding.ts';
import type { SessionFacts } from '../evidence/evidence.ts';
import { TIMEZONE_TAMPERING } from '../evidence/weights.ts';
import { deviceTimezone } from '../geo/country-claims.ts';
import { formatOffset, isTimezone, isUniversalTime, timezoneOffsetMinutes } from '../geo/timezones.ts';
import type { ContextValues } from './checks.ts';
import { pageFinding } from './device-evidence.ts';

const HOUR_MS = 3_600_000;

/** Where the zone, the clock and the seasons of a page contradict each other. */
export function clockFindings(facts: SessionFacts): Finding[] {
  const zone = deviceTimezone(facts);
  return [
    ...nameFindings(zone),
    ...offsetFindings(facts, zone),
    ...seasonFindings(facts, zone),
    ...ownZoneFindings(facts),
    ...workerFindings(facts),
  ];
}

/** Some systems without a zone report `+02:00` or `GMT+2`, which name no place and are honest. */
function nameFindings(zone: string): Finding[] {
  if (zone === '' || isTimezone(zone) || isUniversalTime(zone) || isOffsetName(zone)) return [];
  const isShaped = AREAS.test(zone);
  const sign = isShaped ? 'unknownZone' : 'notAZone';
  return [finding('name', TIMEZONE_TAMPERING[sign], 'the timezone is not in the tz database')];
}

const AREAS =
  /^(Africa|America|Antarctica|Arctic|Asia|Atlantic|Australia|Europe|Indian|Pacific)(\/[A-Z][A-Za-z_-]{1,30}){1,2}$/;

function isOffsetName(zone: string): boolean {
  return /^(UTC|GMT)?[+-]\d{1,2}(:?\d{2})?$/i.test(zone);
}

function offsetFindings(facts: SessionFacts, zone: string): Finding[] {
  return reportedOffsets(facts).flatMap((offset) => {
    if (!isOffset(offset))
      return finding('offset', TIMEZONE_TAMPERING.impossibleOffset, 'impossible UTC offset');
    const expected = timezoneOffsetMinutes(zone, facts.startTime);
    if (expected === null || isNear(expected, offset)) return [];
    if (offsetsAround(zone, facts.startTime).some((each) => isNear(each, offset))) return [];
    const observed = `clock ${formatOffset(offset)}, zone ${formatOffset(expected)}`;
    return finding('offset', TIMEZONE_TAMPERING.otherOffset, observed);
  });
}

/** Minutes ahead of UTC, as zones count; Date#getTimezoneOffset counts minutes behind. */
function reportedOffsets({ browser, checks }: SessionFacts): number[] {
  const offsets = [browser.timezoneOffsetMinutes, checks?.timezoneOffsetMinutes ?? null];
  return [...new Set(offsets.flatMap((behind) => ahead(behind) ?? []))];
}

function ahead(behind: number | null): number | null {
  if (behind === null) return null;
  return behind === 0 ? 0 : -behind;
}

/** All clocks of today are whole quarters of an hour from UTC, and none more than 14 hours. */
function isOffset(minutes: number): boolean {
  return minutes % 15 === 0 && Math.abs(minutes) <= 840;
}

function isNear(one: number, other: number): boolean {
  return Math.abs(one - other) < TIMEZONE_TAMPERING.otherOffsetFromMinutes;
}

/** Offsets before and after a change of clocks nearby; empty for an unknown zone. */
function offsetsAround(zone: string, instant: Date): number[] {
  const slackMs = TIMEZONE_TAMPERING.slackHours * HOUR_MS;
  const instants = [-slackMs, slackMs].map((shift) => new Date(instant.getTime() + shift));
  return instants.flatMap((each) => timezoneOffsetMinutes(zone, each) ?? []);
}

/**
 * A page that replaces Date#getTimezoneOffset by one number loses summer time, or has it in a zone without; and a
 * winter time that differs by hours belongs to another zone.
 */
function seasonFindings({ checks, startTime }: SessionFacts, zone: string): Finding[] {
  const offsets = [ahead(checks?.januaryOffsetMinutes ?? null), ahead(checks?.julyOffsetMinutes ?? null)];
  const expected = seasonsOf(zone, startTime.getUTCFullYear());
  if (!isPair(offsets) || !expected) return [];
  if (!isNear(offsets[0], expected[0]) || !isNear(offsets[1], expected[1])) {
    return [
      finding(
        'seasons',
        TIMEZONE_TAMPERING.otherOffset,
        'offsets of January and July differ from those of the zone',
      ),
    ];
  }
  if (offsets[0] !== offsets[1] || expected[0] === expected[1] || !hasOldRules(zone, expected)) return [];
  return [
    finding('seasons', TIMEZONE_TAMPERING.noSummerTime, 'the clock has no summer time, but the zone has'),
  ];
}

type Seasons = readonly [january: number, july: number];

type CachedSeasons = { seasons: Seasons | null };

/** Working offsets out takes microseconds each, and few zones are in use. Bounded, since a client chooses the names. */
const SEASONS = new LRUCache<string, CachedSeasons>({ max: 1024 });

function seasonsOf(zone: string, year: number): Seasons | null {
  const key = `${zone} ${year}`;
  const cached = SEASONS.get(key);
  if (cached) return cached.seasons;
  const pair = [0, 6].map((month) => timezoneOffsetMinutes(zone, new Date(Date.UTC(year, month, 2))));
  const seasons = isPair(pair) ? pair : null;
  SEASONS.set(key, { seasons });
  return seasons;
}

function isPair(pair: readonly (number | null)[]): pair is Seasons {
  return pair.length === 2 && pair.every((each) => each !== null);
}

function hasOldRules(zone: string, expected: Seasons): boolean {
  const then = seasonsOf(zone, TIMEZONE_TAMPERING.rulesSinceYear);
  return then !== null && then[0] === expected[0] && then[1] === expected[1];
}

/** The zone is read twice in the window; only a script between the two makes them differ. */
function ownZoneFindings({ browser, checks, startTime }: SessionFacts): Finding[] {
  if (!checks || !isOtherZone(browser.timezone, checks.timezone, startTime)) return [];
  return [finding('zones', TIMEZONE_TAMPERING.otherContext, 'two timezones in one page')];
}

function workerFindings(facts: SessionFacts): Finding[] {
  const worker = facts.checks?.worker;
  const other = worker ? otherTime(facts, worker) : null;
  return other ? [finding('worker', TIMEZONE_TAMPERING.otherContext, `${other} in a worker`)] : [];
}

/**
 * How the time of another context differs from the window's; null when it does not, or when either is missing. Many
 * zones keep the same time, and two readings may be on both sides of a change of clocks.
 */
export function otherTime(facts: SessionFacts, context: ContextValues): string | null {
  const { startTime } = facts;
  const zone = deviceTimezone(facts);
  if (isOtherZone(zone, context.timezone, startTime)) return 'another timezone';
  const outside = reportedOffsets(facts)[0];
  const inside = ahead(context.timezoneOffsetMinutes);
  if (outside === undefined || inside === null || outside === inside) return null;
  return offsetsAround(zone, startTime).includes(inside) ? null : 'another time';
}

function isOtherZone(one: string, other: string, at: Date): boolean {
  if (one === other) return false;
  const [oneOffset, otherOffset] = [timezoneOffsetMinutes(one, at), timezoneOffsetMinutes(other, at)];
  return oneOffset !== null && otherOffset !== null && oneOffset !== otherOffset;
}

function finding(sign: string, confidence: number, observed: string): Finding {
  return pageFinding(sign, confidence, observed, 'browser_timezone');
}
