import { deviceEvidence } from '../device/device-evidence.ts';
import type { SessionFacts, SignalCode } from '../evidence.ts';
import { isTimezone, timezoneOffsetMinutes } from '../timezones.ts';
import { DEVICE_WEIGHTS } from '../weights.ts';

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
      confidence: 1,
      source: 'browser_timezone',
      observed: contradiction,
    });
  },
} satisfies SignalCode;

const zoneOf = ({ browser, checks }: SessionFacts) => browser.timezone || (checks?.timezone ?? '');

/** Browsers take the name from the IANA database; offsets as names are what Etc zones and new ones may be. */
function unknownName(facts: SessionFacts): string | null {
  const zone = zoneOf(facts);
  if (zone === '' || isTimezone(zone) || /^(UTC|GMT)?[+-]\d{1,2}(:?\d{2})?$/.test(zone)) return null;
  return 'a time zone that is none';
}

const HOUR_MS = 3_600_000;

/**
 * Date#getTimezoneOffset counts the other way: west of UTC is positive. Around the start any offset that held within a
 * day is honest, since pages live across the change to summer time and clocks are wrong; the two of January and July
 * are fixed.
 */
function offsetContradiction(facts: SessionFacts): string | null {
  const zone = zoneOf(facts);
  const { startTime, browser, checks } = facts;
  const now = browser.timezoneOffsetMinutes ?? checks?.timezoneOffsetMinutes ?? null;
  if (zone === '' || timezoneOffsetMinutes(zone, startTime) === null) return null;
  const around = [-24, 0, 24].map((hours) => new Date(startTime.getTime() + hours * HOUR_MS));
  if (now !== null && !holdsAtOne(zone, now, around)) return 'the clock is not that of its time zone';
  return seasonContradiction(facts, zone);
}

/** Rules of summer time change from year to year, and old devices do not know of it: only the same year counts. */
function seasonContradiction({ startTime, checks }: SessionFacts, zone: string): string | null {
  const year = startTime.getUTCFullYear();
  const seasons: [offset: number | null | undefined, month: number][] = [
    [checks?.januaryOffsetMinutes, 0],
    [checks?.julyOffsetMinutes, 6],
  ];
  const wrong = seasons.some(
    ([offset, month]) =>
      offset != null && !holdsAtOne(zone, offset, [new Date(Date.UTC(year, month, 1, 12))]),
  );
  return wrong ? 'the clock keeps another summer time than its time zone' : null;
}

function holdsAtOne(zone: string, offsetMinutes: number, instants: readonly Date[]): boolean {
  return instants.some((instant) => timezoneOffsetMinutes(zone, instant) === -offsetMinutes);
}
