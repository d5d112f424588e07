import type { SessionFacts } from '../evidence/evidence.ts';
import { TRUE_COUNTRY_LIKELIHOOD, TRUE_COUNTRY_PROBABILITY } from '../evidence/weights.ts';
import type { NetworkFacts } from '../network/network-facts.ts';
import { gpsCountry, localeCountries, simCountry, timezoneCountries } from './country-claims.ts';

/** What can propose a country. A language only supports one that another source proposes, or contradicts it. */
export type CountrySource = 'gps' | 'sim' | 'timezone' | 'address';

export type TrueCountry = {
  /** ISO 3166-1 alpha-2; '' when nothing is known. */
  countryCode: string;
  /** How likely it is among the countries that any source names, 0..1. */
  probability: number;
  /** The strongest of the sources that propose it; null without any. */
  source: CountrySource | null;
};

/** Likelihood ratio of the observation in this country and in another one. */
type Claim = { source: CountrySource | 'locale'; countryCode: string; ratio: number };

const UNKNOWN: TrueCountry = { countryCode: '', probability: 0, source: null };

/**
 * The true country of a session: the likeliest by the product of the likelihood ratios of the sources, which are considered
 * independent, with equal priors of all countries. It is the address's country unless another one is likely enough. A
 * country of a language alone is never the result: people keep their language abroad.
 */
export function inferTrueCountry(facts: SessionFacts): TrueCountry {
  const ranked = rank(claimsOf(facts));
  const best = ranked.find(({ source }) => source !== null);
  if (best && best.probability >= TRUE_COUNTRY_PROBABILITY) return best;
  const { countryCode } = facts.network.location;
  if (countryCode === '') return UNKNOWN;
  const address = ranked.find((candidate) => candidate.countryCode === countryCode);
  return { countryCode, probability: address?.probability ?? 0, source: 'address' };
}

function rank(claims: readonly Claim[]): TrueCountry[] {
  const candidates = [...Map.groupBy(claims, ({ countryCode }) => countryCode)].map(
    ([countryCode, made]) => ({
      countryCode,
      weight: made.reduce((product, { ratio }) => product * ratio, 1),
      source: strongestProposal(made),
    }),
  );
  const total = candidates.reduce((sum, { weight }) => sum + weight, 0);
  return candidates
    .map(({ weight, ...candidate }) => ({ ...candidate, probability: weight / total }))
    .sort((a, b) => b.probability - a.probability);
}

function strongestProposal(claims: readonly Claim[]): CountrySource | null {
  let strongest: { source: CountrySource; ratio: number } | null = null;
  for (const { source, ratio } of claims) {
    if (source !== 'locale' && (strongest === null || ratio > strongest.ratio)) strongest = { source, ratio };
  }
  return strongest?.source ?? null;
}

function claimsOf(facts: SessionFacts): Claim[] {
  return [
    ...claim('gps', gpsCountry(facts), TRUE_COUNTRY_LIKELIHOOD.gps),
    ...claim('sim', simCountry(facts), TRUE_COUNTRY_LIKELIHOOD.sim),
    ...timezoneClaims(facts),
    ...claim('address', facts.network.location.countryCode, addressRatio(facts.network)),
    ...localeClaims(facts),
  ];
}

function claim(source: Claim['source'], countryCode: string, ratio: number): Claim[] {
  return countryCode === '' ? [] : [{ source, countryCode, ratio }];
}

/**
 * Countries that share a zone with the country it is named for gain little, so that the zone alone selects none of them. If
 * the address's country is among them, the clock does not contradict it.
 */
function timezoneClaims(facts: SessionFacts): Claim[] {
  const { timezone, timezoneShared } = TRUE_COUNTRY_LIKELIHOOD;
  return timezoneCountries(facts).flatMap((countryCode, index) => {
    const isMeant = index === 0 || countryCode === facts.network.location.countryCode;
    return claim('timezone', countryCode, isMeant ? timezone : timezoneShared);
  });
}

/** Only the preferred language: others may be learned or spoken at home. */
function localeClaims(facts: SessionFacts): Claim[] {
  const [locale] = localeCountries(facts);
  if (!locale) return [];
  const ratio = locale.isExplicit
    ? TRUE_COUNTRY_LIKELIHOOD.localeExplicit
    : TRUE_COUNTRY_LIKELIHOOD.localeImplied;
  return claim('locale', locale.countryCode, ratio);
}

/** The ratio of a country that the sources dispute decreases: at confidence 0 it is the ratio without an address. */
function addressRatio(network: NetworkFacts): number {
  return 1 + (ratioOfNetwork(network) - 1) * network.countryConfidence;
}

function ratioOfNetwork({ connectionType, feeds }: NetworkFacts): number {
  const isAnonymizer = feeds.some(({ kind }) => kind === 'vpn' || kind === 'proxy' || kind === 'tor');
  if (isAnonymizer || connectionType === 'hosting') return TRUE_COUNTRY_LIKELIHOOD.addressHosting;
  const isRough = ['mobile', 'satellite', 'private_relay', ''].includes(connectionType);
  return isRough ? TRUE_COUNTRY_LIKELIHOOD.addressRough : TRUE_COUNTRY_LIKELIHOOD.addressAccess;
}
