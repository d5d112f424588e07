import { deviceEvidence } from '../device/device-evidence.ts';
import type { SessionFacts, SignalCode } from '../evidence.ts';
import { isTimezone, timezoneOffsetMinutes } from '../timezones.ts';
import { DEVICE_WEIGHTS, TIMEZONE_TAMPERED_CONFIDENCE } from '../weights.ts';

export const timezoneTampered = {
  code: 'timezone_tampered',
  family: 'device',
  describes: 'A time zone whose name and clock disagree was set by a script, to fit the address.',
  needs: "the time zone's name and the offsets of the device's clock",
  evaluate(facts) {
    const contradiction = unknownName(facts) ?? offsetContradiction(facts);
    if (contradiction === null) return null;
    return deviceEvidence({
      code: 'timezone_tampered',
      group: 'tamper',
      weight: DEVICE_WEIGHTS.timezoneTampered,
      confidence: contradiction.confidence,
      source: 'browser_timezone',
      observed: contradiction.observed,
    });
  },
} satisfies SignalCode;

const zoneOf = ({ browser, checks }: SessionFacts) => browser.timezone || (checks?.timezone ?? '');

type Contradiction = { confidence: number; observed: string };

/** Browsers take the name from the IANA database, of which theirs may be newer than ours. */
function unknownName(facts: SessionFacts): Contradiction | null {
  const zone = zoneOf(facts);
  if (zone === '' || isTimezone(zone) || /^(UTC|GMT)?[+-]\d{1,2}(:?\d{2})?$/.test(zone)) return null;
  return { confidence: TIMEZONE_TAMPERED_CONFIDENCE.unknownName, observed: 'a time zone that is none' };
}

const HOUR_MS = 3_600_000;

/**
 * Date#getTimezoneOffset counts the other way: west of UTC is positive. Around the start any offset that held within a
 * day is honest, since pages live across the change to summer time and clocks are wrong.
 */
function offsetContradiction(facts: SessionFacts): Contradiction | null {
  const zone = zoneOf(facts);
  const { startTime, browser, checks } = facts;
  const now = browser.timezoneOffsetMinutes ?? checks?.timezoneOffsetMinutes ?? null;
  if (zone === '' || timezoneOffsetMinutes(zone, startTime) === null) return null;
  const around = [-24, 0, 24].map((hours) => new Date(startTime.getTime() + hours * HOUR_MS));
  return contradictionOf(zone, now, around, 'the clock is not that of its time zone') ?? seasons(facts, zone);
}

function seasons({ startTime, checks }: SessionFacts, zone: string): Contradiction | null {
  const year = startTime.getUTCFullYear();
  const noon = (month: number) => [new Date(Date.UTC(year, month, 1, 12))];
  const observed = 'the clock keeps another summer time than its time zone';
  return (
    contradictionOf(zone, checks?.januaryOffsetMinutes ?? null, noon(0), observed) ??
    contradictionOf(zone, checks?.julyOffsetMinutes ?? null, noon(6), observed)
  );
}

/** Countries change their rules, and old devices do not hear of it: they are off by an hour. */
function contradictionOf(
  zone: string,
  offsetMinutes: number | null,
  instants: readonly Date[],
  observed: string,
): Contradiction | null {
  if (offsetMinutes === null) return null;
  const apart = Math.min(
    ...instants.map((instant) => Math.abs((timezoneOffsetMinutes(zone, instant) ?? 0) + offsetMinutes)),
  );
  if (apart === 0) return null;
  const { oldRules, otherClock } = TIMEZONE_TAMPERED_CONFIDENCE;
  return { confidence: apart <= 60 ? oldRules : otherClock, observed };
}
