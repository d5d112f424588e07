import { isMobileDevice } from '../automation/mobile-device.ts';
import { counts } from '../evidence/combine.ts';
import {
  type Evidence,
  type EvidenceGroup,
  type SessionFacts,
  type SignalCode,
  weigh,
} from '../evidence/evidence.ts';
import { HOME_ROUTED_CONFIDENCE } from '../evidence/weights.ts';
import { distanceToCountryKm } from '../geo/borders.ts';
import { distanceKm } from '../geo/coordinates.ts';
import {
  deviceTimezone,
  gpsCountry,
  isHomeRouted,
  localeCountries,
  simCountry,
  timezoneCountries,
} from '../geo/country-claims.ts';
import { gpsPosition } from '../geo/gps-position.ts';
import { placeConfidence, placeRadiusKm } from '../geo/place.ts';
import { type CountrySource, inferTrueCountry } from '../geo/true-country.ts';

/** Weights of other evidence for another country than the address's, each for location_spoofing. */
const TRUE_COUNTRY_WEIGHTS = {
  /** None of the timezone's countries is the address's. */
  timezoneCountry: 0.3,
  /** The region that the browser's language names, and one that it only implies. */
  localeExplicit: 0.08,
  localeImplied: 0.03,
  /** The SIM's country; when the device's clock agrees with the address, the person is roaming. */
  simCountry: 0.35,
  simRoaming: 0.1,
  /** Where the network is registered. */
  routingHosting: 0.2,
  routingOther: 0.05,
  /** Farther away than light in fibre can be. */
  roundTrip: 0.6,
  /** A position across the border, however close: the distance itself is another code's. */
  gpsCountry: 0.3,
  /** Added to spoofed_ip once the inferred country is another one. */
  spoofedIp: 0.3,
} as const;

/**
 * Maximum distance of a response after one millisecond: light in fiber travels about 200 km in one, there and back. The
 * slack covers wrong locations of address and server.
 */
const ROUND_TRIP = { kmPerMs: 100, slackKm: 200 } as const;

export const trueCountryMismatch = {
  code: 'true_country_mismatch',
  family: 'network',
  describes:
    'Other country by time zone, language, SIM, position, network registration or round trip than by ' +
    'the IP address.',
  needs:
    'time zone, languages, SIM and position of the device; round trip of the trusted proxy (ms); two databases for the country of the address',
  limits:
    'Forgery by itself. Travelers have a SIM and a language of another country; each counts little alone.',
  weights: { spoofedIp: TRUE_COUNTRY_WEIGHTS.spoofedIp, locationSpoofing: TRUE_COUNTRY_WEIGHTS.roundTrip },
  evaluate(facts) {
    const { network } = facts;
    if (network.countryConfidence === 0 || network.location.countryCode === '') return null;
    const found = [timezone, locale, sim, gps, routing, roundTrip, inferred]
      .flatMap((observe) => observe(facts) ?? [])
      .filter(({ contributions }) => Object.values(contributions).some(counts));
    return found.length === 0 ? null : found;
  },
} satisfies SignalCode;

type Contributions = Evidence['contributions'];

function evidence(
  group: EvidenceGroup,
  source: string,
  weights: Contributions,
  confidence: number,
  observed: string,
): Evidence {
  return {
    code: 'true_country_mismatch',
    family: 'network',
    group,
    ...weigh(weights, confidence),
    confidence,
    source,
    sourceAsOf: null,
    observed,
  };
}

function timezone(facts: SessionFacts): Evidence | null {
  const { network } = facts;
  const countries = timezoneCountries(facts);
  const isSameZone = deviceTimezone(facts).toLowerCase() === network.location.timezone.toLowerCase();
  if (countries.length === 0 || isSameZone || countries.includes(network.location.countryCode)) return null;
  const confidence =
    placeConfidence(network, isMobileDevice(facts)) * (isHomeRouted(facts) ? HOME_ROUTED_CONFIDENCE : 1);
  const weights = { locationSpoofing: TRUE_COUNTRY_WEIGHTS.timezoneCountry };
  return evidence(
    'timezone_country',
    'browser_timezone',
    weights,
    confidence,
    contrast('timezone', countries, facts),
  );
}

/** One language of the address's country is enough to fit there, whatever the others are. */
function locale(facts: SessionFacts): Evidence | null {
  const locales = localeCountries(facts);
  const [preferred] = locales;
  const { countryCode } = facts.network.location;
  if (!preferred || locales.some((each) => each.countryCode === countryCode)) return null;
  const { localeExplicit, localeImplied } = TRUE_COUNTRY_WEIGHTS;
  const weights = { locationSpoofing: preferred.isExplicit ? localeExplicit : localeImplied };
  const observed = contrast('language', [preferred.countryCode], facts);
  return evidence('locale_country', 'browser_language', weights, placeConfidence(facts.network), observed);
}

/** The clock of a traveler is set to the local time. A spoofed address does not change the clock. */
function sim(facts: SessionFacts): Evidence | null {
  const { network } = facts;
  const country = simCountry(facts);
  if (country === '' || country === network.location.countryCode) return null;
  const isRoaming = timezoneCountries(facts).includes(network.location.countryCode);
  const { simRoaming, simCountry: simElsewhere } = TRUE_COUNTRY_WEIGHTS;
  const weights = { locationSpoofing: isRoaming ? simRoaming : simElsewhere };
  return evidence(
    'sim_country',
    'sim',
    weights,
    network.countryConfidence,
    contrast('SIM', [country], facts),
  );
}

/** People live near borders: a position counts only beyond the inaccuracy of both locations. */
function gps(facts: SessionFacts): Evidence | null {
  const { network } = facts;
  const position = gpsPosition(facts.gps);
  const country = gpsCountry(facts);
  if (!position || country === '') return null;
  const { latitude, longitude } = position;
  const beyondKm = distanceToCountryKm(latitude, longitude, network.location.countryCode);
  const radiusKm = placeRadiusKm(network, position) + placeRadiusKm(network, null);
  if (beyondKm === null || beyondKm <= radiusKm) return null;
  const weights = { locationSpoofing: TRUE_COUNTRY_WEIGHTS.gpsCountry };
  return evidence(
    'gps',
    'gps',
    weights,
    placeConfidence(network) * (isHomeRouted(facts) ? HOME_ROUTED_CONFIDENCE : 1),
    contrast('position', [country], facts),
  );
}

/**
 * The registry's country against the located one. Their contradiction already lowers the confidence of the country, so
 * that it is not applied again. VPN companies register their networks at home and place exits everywhere: there it has
 * the same cause as the VPN itself.
 */
function routing({ network }: SessionFacts): Evidence | null {
  const { city, registry } = network.countrySources;
  if (city === '' || registry === '' || city === registry) return null;
  const isHosting = network.connectionType === 'hosting';
  const weight = isHosting ? TRUE_COUNTRY_WEIGHTS.routingHosting : TRUE_COUNTRY_WEIGHTS.routingOther;
  const observed = `registered in ${registry}, located in ${city}`;
  const isVpn = network.asnClasses.includes('vpn') || network.feeds.some(({ kind }) => kind === 'vpn');
  const group = isVpn ? 'vpn_list' : 'routing_country';
  return evidence(group, 'address_registry', { locationSpoofing: weight }, 1, observed);
}

/**
 * A response faster than light in fiber: the address is not at its listed location. Not reported for privacy relays, whose
 * addresses are listed under their users' cities and respond from the relay's.
 */
function roundTrip({ edge, network }: SessionFacts): Evidence | null {
  const rttMs = edge?.tcpRttMs ?? null;
  if (!edge?.position || rttMs === null || !(rttMs > 0)) return null;
  if (network.connectionType === 'private_relay') return null;
  const apart = distanceKm(edge.position, network.location);
  if (apart === null) return null;
  const km = apart - placeRadiusKm(network, null);
  if (km <= ROUND_TRIP.kmPerMs * rttMs + ROUND_TRIP.slackKm) return null;
  const observed = `${Math.round(km)} km away by its address, round trip ${Math.round(rttMs)} ms`;
  const weights = { locationSpoofing: TRUE_COUNTRY_WEIGHTS.roundTrip };
  return evidence('round_trip', 'edge', weights, placeConfidence(network), observed);
}

const GROUP_OF_SOURCE: Record<CountrySource, EvidenceGroup> = {
  gps: 'gps',
  sim: 'sim_country',
  timezone: 'timezone_country',
  address: 'routing_country',
};

function inferred(facts: SessionFacts): Evidence | null {
  const { countryCode, probability, source } = inferTrueCountry(facts);
  if (source === null || countryCode === facts.network.location.countryCode) return null;
  const weights = { spoofedIp: TRUE_COUNTRY_WEIGHTS.spoofedIp };
  const observed = `${contrast('all together', [countryCode], facts)}, probability ${probability.toFixed(2)}`;
  return evidence(
    GROUP_OF_SOURCE[source],
    'true_country',
    weights,
    facts.network.countryConfidence,
    observed,
  );
}

/** A zone may be shared by many countries; the first is the one that it is named for. */
function contrast(what: string, countries: readonly string[], { network }: SessionFacts): string {
  return `${what} of ${countries[0]}, address of ${network.location.countryCode}`;
}
