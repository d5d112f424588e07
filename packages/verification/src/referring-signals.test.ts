import type { SessionTrace } from '@vouchgraph/signals';
import { describe, expect, test } from 'vitest';
import { type ComparedSession, compareDevices, compareWithReferring } from './referring-signals.ts';

const START = new Date('2026-11-21T12:00:00Z');
type Place = { country?: string; zone?: string; provider?: string };
type Client = { agent?: string; browser?: string; device?: string; category?: string; clock?: string };

function session(ip: string, place: Place = {}, client: Client = {}, minutes = 0): ComparedSession {
  return {
    startTime: new Date(START.getTime() + minutes * 60_000),
    result: {
      network: { ipAddress: ip, serviceProvider: place.provider ?? '', connectionType: 'isp' },
      location: { countryCode: place.country ?? '', timezone: place.zone ?? '' },
      browser: {
        userAgent: client.agent ?? '',
        type: client.browser ?? '',
        timezone: client.clock ?? '',
      },
      device: { type: client.device ?? '', category: client.category ?? 'other' },
    } as ComparedSession['result'],
    trace: trace(minutes),
  };
}

/** An unknown place, with what is known. */
const trace = (minutes: number, place: Partial<SessionTrace> = {}): SessionTrace => ({
  startTime: new Date(START.getTime() + minutes * 60_000),
  countryCode: '',
  latitude: null,
  longitude: null,
  radiusKm: 25,
  anonymity: 0,
  connectionType: 'isp',
  device: '',
  bootCount: null,
  uptimeSeconds: null,
  ...place,
});
const compare = (a: ComparedSession, b: ComparedSession) => compareWithReferring(a, b);

describe('the networks differ by', () => {
  test.each([
    ['the same address', '90.54.1.1', '90.54.1.1', {}, {}, 0],
    ['an IPv6 household', '2a01:cb00::1', '2a01:cb00::2', {}, {}, 0],
    ['the same subnet', '90.54.1.1', '90.54.1.2', {}, {}, 0.2],
    ['the same operator', '90.54.1.1', '90.60.1.1', { provider: 'Orange' }, { provider: 'Orange' }, 0.3],
    ['the same country', '90.54.1.1', '80.1.1.1', { country: 'FR' }, { country: 'FR' }, 0.5],
    ['another country', '90.54.1.1', '8.8.8.8', { country: 'FR' }, { country: 'US' }, 1],
    ['an unknown country', '90.54.1.1', '8.8.8.8', { country: 'FR' }, {}, 0.5],
    ['no address', '', '8.8.8.8', {}, {}, 0],
  ] as const)('%s', (_name, one, other, place, otherPlace, expected) => {
    expect(compare(session(one, place), session(other, otherPlace)).ipMismatch).toBe(expected);
  });
});

describe('the clients differ by', () => {
  const mac = { agent: 'a', browser: 'Safari', device: 'Mac', category: 'desktop' };
  test.each([
    ['the same text', mac, 0],
    ['a version', { ...mac, agent: 'b' }, 0.2],
    ['a browser', { ...mac, agent: 'b', browser: 'Chrome' }, 0.4],
    ['a device', { ...mac, agent: 'b', device: 'Windows PC' }, 0.7],
    ['a class', { agent: 'b', browser: 'Safari', device: 'iPhone', category: 'mobile' }, 1],
    ['no text', { ...mac, agent: '' }, 0],
  ])('%s', (_name, other, expected) => {
    expect(compare(session('', {}, mac), session('', {}, other)).userAgentMismatch).toBe(expected);
  });
});

test('clocks differ in proportion to their distance, up to three hours', () => {
  const at = (clock: string) => session('', {}, { clock });
  const difference = (a: string, b: string) => compare(at(a), at(b)).deviceTimezoneMismatch;
  expect(difference('Europe/Paris', 'Europe/Berlin')).toBe(0);
  expect(difference('Europe/Paris', 'Europe/London')).toBeCloseTo(1 / 3);
  expect(difference('Europe/Paris', 'America/New_York')).toBe(1);
  expect(difference('Europe/Paris', 'no such zone')).toBe(0);
  expect(difference('', 'Europe/Paris')).toBe(0);
});

test('Lagos half an hour after Berlin is impossible travel, in either order', () => {
  const at = (minutes: number, latitude: number, longitude: number) => ({
    ...session('', {}, {}, minutes),
    trace: trace(minutes, { latitude, longitude }),
  });
  const berlin = at(0, 52.5, 13.4);
  const lagos = at(30, 6.5, 3.4);
  const potsdam = at(30, 52.4, 13.06);
  expect(compare(lagos, berlin).impossibleTravel).toBeGreaterThan(0.9);
  expect(compare(berlin, lagos).impossibleTravel).toBeGreaterThan(0.9);
  expect(compare(potsdam, berlin).impossibleTravel).toBe(0);
});

describe('the comparison of the devices reports', () => {
  const phone = (device: string, ip: string, place: Place = {}) =>
    session(ip, place, { device, category: 'mobile', agent: device });
  const of = (a: ComparedSession, b: ComparedSession) => compareDevices(a, b, compare(a, b));

  test('nothing for a phone after a computer', () => {
    const computer = session('90.54.1.1', {}, { device: 'Mac', category: 'desktop' });
    expect(of(phone('iPhone', '90.54.1.1'), computer)).toEqual({
      isOtherTypeOfCategory: false,
      isSameTypeElsewhere: false,
      isSharedLink: false,
    });
  });

  test('another phone, the same phone elsewhere, and a link opened in another country', () => {
    expect(of(phone('iPhone', '90.54.1.1'), phone('Pixel', '90.54.1.1'))).toMatchObject({
      isOtherTypeOfCategory: true,
      isSharedLink: false,
    });
    expect(of(phone('iPhone', '90.54.1.1'), phone('iPhone', '80.1.1.1'))).toMatchObject({
      isSameTypeElsewhere: true,
      isSharedLink: false,
    });
    const abroad = phone('Pixel', '8.8.8.8', { country: 'US' });
    expect(of(abroad, phone('iPhone', '90.54.1.1', { country: 'FR' }))).toMatchObject({
      isSharedLink: true,
    });
  });
});
