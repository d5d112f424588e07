import { expect, test } from 'vitest';
import {
  checksWith,
  factsWith,
  historyWith,
  networkWith,
  traceWith,
} from '../../../../test/support/signals/facts.ts';
import { assessEvidence } from '../assessment/assess-session.ts';
import type { Evidence, SessionFacts } from '../evidence/evidence.ts';
import { UNKNOWN_LOCATION } from '../network/ip-location.ts';
import type { NetworkFacts } from '../network/network-facts.ts';
import { gpsIpDistance } from './gps-ip-distance.ts';
import { ipOnVpnList } from './ip-on-vpn-list.ts';
import { ipTimezoneMismatch } from './ip-timezone-mismatch.ts';
import { outsideExpectedCountries } from './outside-expected-countries.ts';
import { trueCountryMismatch } from './true-country-mismatch.ts';

const WINTER = new Date('2025-01-10T12:00:00Z');

const NEW_YORK: NetworkFacts = networkWith({
  location: {
    ...networkWith().location,
    timezone: 'America/New_York',
    latitude: 40.7128,
    longitude: -74.006,
  },
});
const LONDON: NetworkFacts = networkWith({
  connectionType: 'hosting',
  location: {
    ...networkWith().location,
    countryCode: 'GB',
    timezone: 'Europe/London',
    latitude: 51.5074,
    longitude: -0.1278,
  },
  countrySources: { city: 'GB', registry: 'GB' },
});
const PARIS = { latitude: 48.8566, longitude: 2.3522, accuracyM: 10, mock: false };

const browserOf = (timezone: string, language: string) => ({ timezone, language, languages: [language] });

function found(facts: SessionFacts): Record<string, number> {
  const evidence = trueCountryMismatch.evaluate(facts) ?? [];
  return Object.fromEntries(
    evidence
      .filter(({ contributions }) => contributions.locationSpoofing !== undefined)
      .map(({ group, contributions }) => [group, contributions.locationSpoofing!]),
  );
}

/** The combined result of all location codes for a session, with evidence of other codes. */
function locationSpoofing(facts: SessionFacts, more: readonly Evidence[] = []): number {
  const evidence = [ipTimezoneMismatch, gpsIpDistance, trueCountryMismatch].flatMap(
    (code) => code.evaluate(facts) ?? [],
  );
  return assessEvidence([...evidence, ...more]).scores.locationSpoofing;
}

/** The contribution of a list of VPN ranges with this confidence. */
function onVpnList(confidence: number): Evidence {
  return {
    code: 'ip_on_vpn_list',
    family: 'network',
    group: 'vpn_list',
    contributions: { locationSpoofing: ipOnVpnList.weights.locationSpoofing * confidence },
    confidence,
    source: 'list',
    sourceAsOf: null,
    observed: '',
  };
}

test('a legitimate American at home has no evidence, and a score of exactly 0', () => {
  const facts = factsWith({ network: NEW_YORK, browser: browserOf('America/New_York', 'en-US') });
  expect(trueCountryMismatch.evaluate(facts)).toBeNull();
  expect(locationSpoofing(facts)).toBe(0);
});

test('a legitimate British traveler with a local clock stays below .2', () => {
  const facts = factsWith({
    network: NEW_YORK,
    browser: browserOf('America/New_York', 'en-GB'),
    carrier: { countryCode: 'GB' },
  });
  expect(found(facts)).toEqual({ locale_country: 0.08, sim_country: 0.1 });
  // 1 − .90 · .92
  expect(locationSpoofing(facts)).toBeCloseTo(0.172, 3);
});

test('a traveler has the clock of the address: the same SIM with a clock from home scores high', () => {
  const facts = factsWith({
    network: NEW_YORK,
    browser: browserOf('Europe/London', 'en-GB'),
    carrier: { countryCode: 'GB' },
  });
  expect(found(facts)).toEqual({ timezone_country: 0.3, locale_country: 0.08, sim_country: 0.35 });
});

test('a device from Lagos with a VPN exit in London scores high', () => {
  const facts = (network: NetworkFacts) =>
    factsWith({ network, browser: browserOf('Africa/Lagos', 'en-NG'), startTime: WINTER });
  // 1 − (1 − .45 · .95)(1 − .33)(1 − .30)(1 − .08)
  expect(locationSpoofing(facts(LONDON), [onVpnList(0.95)])).toBeCloseTo(0.753, 3);
  // With another country of the registry, without doubt about the location: · (1 − .20)
  const registeredElsewhere = { ...LONDON, countrySources: { city: 'GB', registry: 'RO' } };
  expect(locationSpoofing(facts(registeredElsewhere), [onVpnList(0.95)])).toBeCloseTo(0.802, 3);
  // The same with the doubt of two contradicting sources.
  const disputed = { ...registeredElsewhere, countryConfidence: 0.5 };
  expect(locationSpoofing(facts(disputed), [onVpnList(0.95)])).toBeCloseTo(0.675, 3);
});

test('a device from Moscow with a residential proxy in New York scores high', () => {
  const facts = factsWith({ network: NEW_YORK, browser: browserOf('Europe/Moscow', 'ru-RU') });
  // 1 − (1 − .65)(1 − .30)(1 − .08)
  expect(locationSpoofing(facts)).toBeCloseTo(0.775, 3);
});

test('a position in Paris with an address in London counts, simulated or not', () => {
  const browser = browserOf('Europe/London', 'en-GB');
  const real = factsWith({ network: LONDON, browser, gps: PARIS });
  expect(locationSpoofing(real)).toBeCloseTo(0.85 * (1 - Math.exp(-193.5 / 400)), 2);
  const simulated = factsWith({ network: LONDON, browser, gps: { ...PARIS, mock: true } });
  expect(locationSpoofing(simulated)).toBe(locationSpoofing(real));
  expect(trueCountryMismatch.evaluate(simulated)).toBeNull();
});

test('a German customer is reported in Sydney and in Paris', () => {
  const at = (session: Parameters<typeof traceWith>[0]) =>
    assessEvidence(
      [
        outsideExpectedCountries.evaluate(
          historyWith({ session: traceWith(session), expectedCountries: ['DE'] }),
        ),
      ].filter((each) => each !== null),
    ).scores.locationSpoofing;
  expect(at({ countryCode: 'AU', latitude: -33.8688, longitude: 151.2093 })).toBeCloseTo(0.649, 3);
  expect(at({ countryCode: 'FR', latitude: 48.8566, longitude: 2.3522 })).toBeCloseTo(0.206, 3);
});

test('a privacy relay in the country of its user is no evidence', () => {
  const network = { ...NEW_YORK, connectionType: 'private_relay' as const };
  expect(locationSpoofing(factsWith({ network, browser: browserOf('America/New_York', 'en-US') }))).toBe(0);
});

test('a response from London within a millisecond does not come from New York', () => {
  const edge = {
    ja4: '',
    tcpRttMs: 1,
    ipTtl: null,
    position: { latitude: 51.5074, longitude: -0.1278 },
  };
  const browser = browserOf('America/New_York', 'en-US');
  const facts = (changes: Partial<SessionFacts>) =>
    factsWith({ network: NEW_YORK, browser, edge, ...changes });
  expect(locationSpoofing(facts({}))).toBeCloseTo(0.6, 4);
  expect(trueCountryMismatch.evaluate(facts({}))).toMatchObject([
    { group: 'round_trip', observed: '5495 km away by its address, round trip 1 ms' },
  ]);
  // Light in fiber needs some 53 ms for the round trip.
  expect(found(facts({ edge: { ...edge, tcpRttMs: 60 } }))).toEqual({});
  expect(found(facts({ edge: { ...edge, tcpRttMs: 0 } }))).toEqual({});
  expect(found(facts({ edge: { ...edge, position: null } }))).toEqual({});
  expect(found(facts({ network: { ...NEW_YORK, connectionType: 'private_relay' } }))).toEqual({});
});

test('a Windows computer with the zone of an adjacent country, and a tourist near the border, have low scores', () => {
  const germany = networkWith({
    location: {
      ...networkWith().location,
      countryCode: 'DE',
      timezone: 'Europe/Berlin',
      latitude: 48.58,
      longitude: 7.82,
    },
    countrySources: { city: 'DE', registry: 'DE' },
  });
  expect(found(factsWith({ network: germany, browser: browserOf('Europe/Zurich', 'de-CH') }))).toEqual({
    locale_country: 0.08,
  });
  const strasbourg = { ...PARIS, latitude: 48.5734, longitude: 7.7521 };
  expect(
    found(factsWith({ network: germany, browser: browserOf('Europe/Berlin', 'de-DE'), gps: strasbourg })),
  ).toEqual({});
});

test('default English, a matching language and one that only implies a country are no evidence', () => {
  const inMexico = networkWith({
    location: { ...networkWith().location, countryCode: 'MX', timezone: 'America/Mexico_City' },
    countrySources: { city: 'MX', registry: 'MX' },
  });
  const languages = (...tags: string[]) =>
    found(
      factsWith({
        network: inMexico,
        browser: { timezone: 'America/Mexico_City', language: tags[0], languages: tags },
      }),
    );
  expect(languages('en-US')).toEqual({});
  expect(languages('es-419')).toEqual({});
  expect(languages('de')).toEqual({});
  expect(languages('en-GB', 'es-MX')).toEqual({});
  expect(languages('de-DE')).toEqual({ locale_country: 0.08 });
});

test('a roaming phone with home routing gets little weight from its clock', () => {
  const network = { ...NEW_YORK, connectionType: 'mobile' as const };
  const browser = browserOf('Europe/Paris', 'en-US');
  expect(locationSpoofing(factsWith({ network, browser, carrier: { countryCode: 'US' } }))).toBeLessThan(0.2);
  expect(locationSpoofing(factsWith({ network, browser }))).toBeLessThan(0.5);
});

test('a position far beyond the border counts, however near the address is to it', () => {
  const facts = factsWith({ network: LONDON, browser: browserOf('Europe/London', 'en-GB'), gps: PARIS });
  expect(found(facts)).toEqual({ gps: 0.3 });
});

test('a registry of another country has more weight for servers than for residential networks', () => {
  const countrySources = { city: 'US', registry: 'RO' };
  expect(found(factsWith({ network: { ...NEW_YORK, countrySources } }))).toMatchObject({
    routing_country: 0.05,
  });
  expect(
    found(factsWith({ network: { ...NEW_YORK, countrySources, connectionType: 'hosting' } })),
  ).toMatchObject({ routing_country: 0.2 });
});

test('another country with a sufficient probability makes the address spoofed', () => {
  const evidence = trueCountryMismatch.evaluate(
    factsWith({ network: LONDON, browser: browserOf('Africa/Lagos', 'en-NG'), startTime: WINTER }),
  );
  const inferred = evidence?.find(({ source }) => source === 'true_country');
  expect(inferred).toMatchObject({ group: 'timezone_country', contributions: { spoofedIp: 0.3 } });
  expect(inferred?.observed).toBe('all together of NG, address of GB, probability 0.75');
  expect(assessEvidence(evidence ?? []).scores.spoofedIp).toBe(0.3);
});

test('a disputed country halves the score', () => {
  const network = { ...NEW_YORK, countryConfidence: 0.5 };
  expect(found(factsWith({ network, browser: browserOf('Europe/Moscow', 'en-US') }))).toEqual({
    timezone_country: 0.15,
  });
});

test('a missing country of the address and missing facts of the device produce no evidence', () => {
  const nowhere = networkWith({ location: UNKNOWN_LOCATION, countryConfidence: 0 });
  const browser = browserOf('Europe/Moscow', 'ru-RU');
  expect(trueCountryMismatch.evaluate(factsWith({ network: nowhere, browser }))).toBeNull();
  expect(
    trueCountryMismatch.evaluate(factsWith({ network: { ...NEW_YORK, countryConfidence: 0 }, browser })),
  ).toBeNull();
  const silent = { timezone: '', language: '', languages: [] };
  expect(trueCountryMismatch.evaluate(factsWith({ browser: silent }))).toBeNull();
});

test('hostile values are claims of no country', () => {
  const facts = factsWith({
    network: NEW_YORK,
    browser: { timezone: '__proto__/x', language: 'x'.repeat(5000), languages: ['{}', '', '\u0000'] },
    carrier: { countryCode: 'constructor' },
    gps: { latitude: 1e300, longitude: Number.NaN, accuracyM: -1, mock: null },
    checks: checksWith({ timezone: 'Etc/GMT+5', locale: 'und' }),
  });
  expect(trueCountryMismatch.evaluate(facts)).toBeNull();
});
