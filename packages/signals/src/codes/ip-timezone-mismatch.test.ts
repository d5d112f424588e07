import { expect, test } from 'vitest';
import { checksWith, factsWith, networkWith } from '../../../../test/support/signals/facts.ts';
import { UNKNOWN_LOCATION } from '../network/ip-location.ts';
import { ipTimezoneMismatch } from './ip-timezone-mismatch.ts';

const inZone = (timezone: string, startTime?: Date) =>
  ipTimezoneMismatch.evaluate(factsWith({ browser: { timezone }, startTime }));

test('a device with the time zone of Moscow is not in Texas', () => {
  const evidence = inZone('Europe/Moscow');
  expect(evidence).toMatchObject({ confidence: 1, observed: 'device UTC+3, network UTC-5' });
  expect(evidence?.contributions).toEqual({
    deviceNetworkMismatch: 0.65,
    locationSpoofing: 0.65,
    vpn: 0.35,
    proxy: 0.2,
  });
});

test('only a residential address can be a hidden proxy', () => {
  const network = networkWith({ connectionType: 'hosting' });
  const evidence = ipTimezoneMismatch.evaluate(
    factsWith({ network, browser: { timezone: 'Europe/Moscow' } }),
  );
  expect(evidence?.contributions).toMatchObject({ vpn: 0.35 });
  expect(evidence?.contributions).not.toHaveProperty('proxy');
});

test('one hour of difference has a low weight, and each further hour increases it', () => {
  expect(inZone('America/New_York')?.contributions.deviceNetworkMismatch).toBeCloseTo(0.33);
  expect(inZone('America/Halifax')?.contributions.deviceNetworkMismatch).toBeCloseTo(0.41);
  expect(inZone('America/St_Johns')?.contributions.deviceNetworkMismatch).toBeCloseTo(0.45);
});

test('another zone with the same time is not a difference', () => {
  expect(inZone('America/Winnipeg')).toBeNull();
});

test('the date of the session determines the offset: Mexico City has the time of Texas in winter only', () => {
  expect(inZone('America/Mexico_City', new Date('2025-01-10T12:00:00Z'))).toBeNull();
  expect(inZone('America/Mexico_City', new Date('2025-07-10T12:00:00Z'))).not.toBeNull();
});

test('mobile networks and disputed countries have a lower weight', () => {
  const confidenceWith = (changes: Parameters<typeof networkWith>[0]) =>
    ipTimezoneMismatch.evaluate(
      factsWith({ network: networkWith(changes), browser: { timezone: 'Europe/Moscow' } }),
    )?.confidence;
  expect(confidenceWith({ connectionType: 'mobile' })).toBeCloseTo(0.6);
  expect(confidenceWith({ connectionType: 'satellite' })).toBeCloseTo(0.6);
  expect(confidenceWith({ countryConfidence: 0.5 })).toBeCloseTo(0.5);
});

test('a missing zone on either side and an invalid zone name produce no evidence', () => {
  expect(inZone('')).toBeNull();
  expect(inZone('Middle-earth/Shire')).toBeNull();
  expect(inZone('+03:00')).toBeNull();
  const network = networkWith({ location: UNKNOWN_LOCATION, countryConfidence: 0 });
  expect(
    ipTimezoneMismatch.evaluate(factsWith({ network, browser: { timezone: 'Europe/Moscow' } })),
  ).toBeNull();
});

test('without a zone name the clock offset applies, in minutes west of UTC', () => {
  const withOffset = (timezoneOffsetMinutes: number | null, timezone = '') =>
    ipTimezoneMismatch.evaluate(factsWith({ browser: { timezone, timezoneOffsetMinutes } }));
  expect(withOffset(-180)).toMatchObject({
    confidence: 1,
    source: 'browser_clock',
    observed: 'device UTC+3, network UTC-5',
  });
  expect(withOffset(300)).toBeNull();
  expect(withOffset(-180, 'Middle-earth/Shire')).not.toBeNull();
  expect(withOffset(-180, 'America/Chicago')).toBeNull();
  for (const nonsense of [841, -1e9, 12.5, Number.NaN]) expect(withOffset(nonsense)).toBeNull();
});

test('the offset from the page replaces a missing one of the browser block', () => {
  const checks = checksWith({ timezone_offset_minutes: -180 });
  const evidence = ipTimezoneMismatch.evaluate(factsWith({ browser: { timezone: '' }, checks }));
  expect(evidence?.observed).toBe('device UTC+3, network UTC-5');
});

test('UTC often hides the location, unless the clock itself has its offset', () => {
  expect(inZone('UTC')?.confidence).toBeCloseTo(0.4);
  const torBrowser = 'Mozilla/5.0 (Windows NT 10.0; rv:128.0) Gecko/20100101 Firefox/128.0';
  const browser = { timezone: 'Atlantic/Reykjavik', timezoneOffsetMinutes: 0 };
  expect(ipTimezoneMismatch.evaluate(factsWith({ browser, userAgent: torBrowser }))).toMatchObject({
    observed: 'device UTC, network UTC-5',
    confidence: 0.4,
  });
  expect(ipTimezoneMismatch.evaluate(factsWith({ browser }))?.confidence).toBe(1);
  const disguised = { timezone: 'UTC', timezoneOffsetMinutes: -180 };
  expect(ipTimezoneMismatch.evaluate(factsWith({ browser: disguised }))?.confidence).toBe(1);
});

test('a roaming phone with home routing has a low weight', () => {
  const network = networkWith({ connectionType: 'mobile' });
  const facts = { network, browser: { timezone: 'Europe/Paris' } };
  const roaming = ipTimezoneMismatch.evaluate(factsWith({ ...facts, carrier: { countryCode: 'US' } }));
  const without = ipTimezoneMismatch.evaluate(factsWith(facts));
  expect(roaming?.contributions.locationSpoofing).toBeCloseTo(0.65 * 0.6 * 0.3);
  expect(without?.contributions.locationSpoofing).toBeCloseTo(0.65 * 0.6);
});
