import { expect, test } from 'vitest';
import {
  countriesOfTimezone,
  formatOffset,
  isTimezone,
  isUniversalTime,
  timezoneOffsetMinutes,
} from './timezones.ts';

const SUMMER = new Date('2025-07-01T12:00:00Z');
const WINTER = new Date('2025-01-01T12:00:00Z');

test.each([
  ['UTC', 0, 0],
  ['Europe/London', 0, 60],
  ['America/New_York', -300, -240],
  ['Asia/Kolkata', 330, 330],
  ['America/St_Johns', -210, -150],
  ['Australia/Sydney', 660, 600],
  ['Pacific/Kiritimati', 840, 840],
  ['Etc/GMT+5', -300, -300],
])('%s is %i minutes ahead in January and %i in July', (zone, winter, summer) => {
  expect(timezoneOffsetMinutes(zone, WINTER)).toBe(winter);
  expect(timezoneOffsetMinutes(zone, SUMMER)).toBe(summer);
});

test('finds zones by their names, old names and in any case', () => {
  for (const name of ['Europe/Kyiv', 'Europe/Kiev', 'US/Pacific', 'europe/paris'])
    expect(isTimezone(name)).toBe(true);
});

test('an invalid zone name has no offset', () => {
  for (const name of ['', 'Mars/Olympus', '+05:30', '-08', 'Europe/Paris ', '__proto__']) {
    expect(isTimezone(name)).toBe(false);
    expect(timezoneOffsetMinutes(name, SUMMER)).toBeNull();
  }
});

test('an invalid date has no offset', () => {
  expect(timezoneOffsetMinutes('UTC', new Date(Number.NaN))).toBeNull();
});

test('an offset is formatted as UTC±hours:minutes', () => {
  expect([0, 180, -300, 330, -210].map(formatOffset)).toEqual([
    'UTC',
    'UTC+3',
    'UTC-5',
    'UTC+5:30',
    'UTC-3:30',
  ]);
});

test('a zone names the countries that use it, with its own country first', () => {
  expect(countriesOfTimezone('Africa/Lagos')[0]).toBe('NG');
  expect(countriesOfTimezone('Africa/Lagos')).toContain('CM');
  expect(countriesOfTimezone('Africa/Luanda')).toEqual(['AO']);
  expect(countriesOfTimezone('europe/kiev')).toEqual(['UA']);
  expect(countriesOfTimezone('Europe/Belgrade')).toContain('XK');
});

test('every geographic zone of this runtime has a country', () => {
  const zones = Intl.supportedValuesOf('timeZone').filter((zone) => zone.includes('/'));
  expect(zones.filter((zone) => countriesOfTimezone(zone).length === 0)).toEqual([]);
});

test('a zone name without a place has no countries', () => {
  for (const name of ['', 'UTC', 'Etc/UTC', 'Etc/GMT+5', 'EST', 'Mars/Olympus', '__proto__', '+05:30']) {
    expect(countriesOfTimezone(name)).toEqual([]);
  }
});

test('UTC is distinguished from zones with the same time', () => {
  for (const name of ['UTC', 'etc/utc', 'GMT', 'Etc/GMT+0', 'Zulu']) expect(isUniversalTime(name)).toBe(true);
  for (const name of ['', 'Europe/London', 'Africa/Abidjan', 'Etc/GMT+1', 'UTC+1']) {
    expect(isUniversalTime(name)).toBe(false);
  }
});
