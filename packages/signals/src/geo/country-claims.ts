import { isCountryCode } from '@vouchgraph/platform/countries';
import { LRUCache } from 'lru-cache';
import { primaryLanguage } from '../device/primary-language.ts';
import type { SessionFacts } from '../evidence/evidence.ts';
import { countryOfPoint } from './country-of-point.ts';
import { gpsPosition } from './gps-position.ts';
import { countriesOfTimezone } from './timezones.ts';

/*
 * Country of the device by its own facts. They are claims; '' or an empty list without one.
 */

/** Name of the device's time zone, as sent; '' when none was sent. */
export function deviceTimezone({ browser, checks }: SessionFacts): string {
  return browser.timezone || (checks?.timezone ?? '');
}

/** True when the zone is the one that a browser names to hide the real one. */
export function isMaskedTimezone(zone: string, { userAgent }: SessionFacts): boolean {
  // Firefox that resists fingerprinting, and Tor Browser with it, names Iceland's since version 128, as it never has
  // summer time; before, it named UTC (arkenfox/user.js issue 1857).
  return /^atlantic\/reykjavik$/i.test(zone) && /\bFirefox\//.test(userAgent);
}

/** The countries that use the device's timezone, the one that the zone is named for first. */
export function timezoneCountries(facts: SessionFacts): readonly string[] {
  const zone = deviceTimezone(facts);
  return isMaskedTimezone(zone, facts) ? [] : countriesOfTimezone(zone);
}

/** The country of the SIM card's operator. */
export function simCountry({ carrier }: SessionFacts): string {
  const code = carrier?.countryCode.toUpperCase() ?? '';
  return isCountryCode(code) ? code : '';
}

/** The country at the device's own position. */
export function gpsCountry({ gps }: SessionFacts): string {
  const position = gpsPosition(gps);
  return position ? countryOfPoint(position.latitude, position.longitude) : '';
}

/** A country of a language tag; explicit when the tag names it (`en-NG`), and not only implied by the language (`ja`). */
export type LocaleCountry = { countryCode: string; isExplicit: boolean };

/** The countries that the device's languages point to, the preferred language first. Tags of no language name none. */
export function localeCountries({ browser, checks }: SessionFacts): LocaleCountry[] {
  const tags = new Set([
    browser.language,
    ...browser.languages.slice(0, MAX_LANGUAGES),
    checks?.locale ?? '',
  ]);
  return [...tags].flatMap((tag) => (primaryLanguage(tag) === '' ? [] : (countryOfLocale(tag) ?? [])));
}

/** People rarely list more; a script may list any number. */
const MAX_LANGUAGES = 8;

type CachedLocale = { country: LocaleCountry | null };

/** Resolving a tag takes microseconds, and few are in use. Bounded, since clients can send any tag. */
const LOCALES = new LRUCache<string, CachedLocale>({ max: 1024 });

/** The country that a language tag (BCP 47) points to; null for one that is malformed or points to none. */
export function countryOfLocale(tag: string): LocaleCountry | null {
  if (tag === '' || tag.length > MAX_TAG_LENGTH) return null;
  const cached = LOCALES.get(tag);
  if (cached) return cached.country;
  const country = readLocale(tag);
  LOCALES.set(tag, { country });
  return country;
}

/** RFC 5646 section 4.4.1 requires parsers to accept 35 characters; no user sets a longer tag. */
const MAX_TAG_LENGTH = 35;

function readLocale(tag: string): LocaleCountry | null {
  try {
    const locale = new Intl.Locale(tag);
    const countryCode = locale.maximize().region ?? '';
    if (!isCountryCode(countryCode)) return null;
    // Systems and browsers are shipped in American English all over the world.
    const isDefault = locale.language === 'en' && countryCode === 'US';
    return { countryCode, isExplicit: locale.region !== undefined && !isDefault };
  } catch {
    return null;
  }
}

/**
 * True for a phone whose address is in its SIM's country. Most operators route a roaming customer's traffic home before it
 * reaches the internet (3GPP TS 23.401, home routed traffic), so such an address has the location of the contract.
 */
export function isHomeRouted(facts: SessionFacts): boolean {
  const { connectionType, location } = facts.network;
  return (
    (connectionType === 'mobile' || connectionType === 'isp') &&
    location.countryCode !== '' &&
    simCountry(facts) === location.countryCode
  );
}
