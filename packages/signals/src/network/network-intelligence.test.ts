import { expect, test } from 'vitest';
import { factsWith } from '../../../../test/support/signals/facts.ts';
import { assessSession } from '../assessment/assess-session.ts';
import { createNetworkIntelligence, openNetworkIntelligence } from './network-intelligence.ts';

/* These use the data that the product ships; an update of it can assign an address to another network. */
const network = await openNetworkIntelligence();

test('every source is bundled and has a date', () => {
  const onBoard = network.status().filter(({ name }) => !name.startsWith('feed_kind:'));
  expect(onBoard.map(({ name, available }) => [name, available])).toEqual([
    ['asn', true],
    ['city_ipv4', true],
    ['city_ipv6', true],
    ['country', true],
    ['feed:onboard-vpn', true],
    ['feed:onboard-tor', true],
    ['feed:onboard-relay', true],
  ]);
  for (const { dataVersion } of onBoard) expect(dataVersion).toMatch(/^\d{4}-\d{2}-\d{2}$/);
});

test.each([
  ['8.8.8.8', 15169, 'US', 'hosting', ['hosting']],
  ['52.95.110.1', 16509, 'US', 'hosting', ['hosting']],
  ['1.1.1.1', 13335, 'AU', 'hosting', ['cdn']],
  ['172.56.20.10', 21928, 'US', 'mobile', ['mobile']],
  ['107.77.200.1', 20057, 'US', 'mobile', ['mobile']],
  ['223.182.1.1', 45609, 'IN', 'mobile', ['mobile']],
  ['98.97.32.1', 14593, 'US', 'satellite', ['satellite']],
  ['2.125.160.216', 5607, 'GB', 'isp', []],
  ['90.54.1.1', 3215, 'FR', 'isp', []],
  ['37.120.130.1', 9009, 'CA', 'hosting', ['vpn', 'hosting']],
  ['185.220.101.1', 60729, 'DE', 'hosting', ['tor', 'hosting']],
])('%s is AS%i in %s, %s', (ip, asn, countryCode, connectionType, asnClasses) => {
  const facts = network.lookup(ip);
  expect(facts).toMatchObject({ ip, asn, connectionType, asnClasses, bogon: false, countryConfidence: 1 });
  expect(facts.location.countryCode).toBe(countryCode);
  expect(facts.serviceProvider).not.toBe('');
});

test('a location has its full names and a time zone', () => {
  expect(network.lookup('172.56.20.10').location).toMatchObject({
    continent: 'NA',
    state: 'Texas',
    timezone: 'America/Chicago',
    zipCode: '',
  });
});

test('an IPv4 address mapped into IPv6 is looked up as IPv4', () => {
  expect(network.lookup('::ffff:8.8.8.8')).toEqual(network.lookup('8.8.8.8'));
});

test('IPv6 is looked up, and differing sources lower the confidence', () => {
  const facts = network.lookup('2606:4700::1');
  expect(facts.asn).toBe(13335);
  expect(facts.countrySources.city).not.toBe(facts.countrySources.registry);
  expect(facts.countryConfidence).toBe(0.5);
});

test.each(['192.168.1.1', '203.0.113.5', '::1', 'fe80::1', ''])('"%s" has no known facts', (ip) => {
  const facts = network.lookup(ip);
  expect(facts).toMatchObject({ ip, bogon: ip !== '', asn: null, serviceProvider: '', connectionType: '' });
  expect(Object.values(facts.location).every((value) => value === '' || value === null)).toBe(true);
  const { scores, details } = assessSession(factsWith({ network: facts }));
  // An address that is not routable was forged: one code reports that, and the scores that it does not affect are 0.
  const { spoofedIp: _made, proxy: _up, vpn: _address, ...known } = scores;
  expect(Object.values(known).every((score) => score === 0)).toBe(true);
  expect(details.network.filter(({ code }) => code !== 'client_address_mismatch')).toEqual([]);
});

test('scores follow from the data: a cloud network is a data center, Starlink and mobile networks are not', () => {
  const scoresOf = (ip: string) =>
    assessSession(factsWith({ network: network.lookup(ip), browser: { timezone: '' } }));
  expect(scoresOf('8.8.8.8').flags.datacenter).toBe(true);
  expect(scoresOf('98.97.32.1').details.network).toEqual([]);
  expect(scoresOf('172.56.20.10').details.network).toEqual([]);
  expect(scoresOf('37.120.130.1').flags).toMatchObject({ vpn: true, datacenter: true, tor: false });
  expect(scoresOf('185.220.101.1').flags).toMatchObject({ tor: true, datacenter: true });
});

test('the service without any data returns unknown values', () => {
  const empty = createNetworkIntelligence({ asn: null, city4: null, city6: null, country: null });
  expect(empty.lookup('8.8.8.8')).toMatchObject({
    asn: null,
    connectionType: '',
    countryConfidence: 0,
    bogon: false,
  });
  expect(empty.status().every(({ available, dataVersion }) => !available && dataVersion === null)).toBe(true);
});
