import lookUpTimezone from '@photostructure/tz-lookup';
import { continentOf, isCountryCode } from '@vouchgraph/platform/countries';
import { COUNTRY_CONFIDENCE } from '../evidence/weights.ts';
import { coordinatesOf } from '../geo/coordinates.ts';

export type IpLocation = {
  /** Two letters, as NA or EU. */
  continent: string;
  /** ISO 3166-1 alpha-2. */
  countryCode: string;
  /** The full name, as Texas. */
  state: string;
  city: string;
  zipCode: string;
  /** IANA, as America/Chicago. */
  timezone: string;
  latitude: number | null;
  longitude: number | null;
};

export const UNKNOWN_LOCATION: IpLocation = {
  continent: '',
  countryCode: '',
  state: '',
  city: '',
  zipCode: '',
  timezone: '',
  latitude: null,
  longitude: null,
};

/** Record of a city database; some databases leave a field empty or omit it. */
export type CityRecord = {
  city?: string;
  country_code?: string;
  latitude?: number;
  longitude?: number;
  postcode?: string;
  state1?: string;
};

export type LocatedIp = {
  location: IpLocation;
  /** 0 unknown, 1 when both sources name the same country. */
  countryConfidence: number;
  countrySources: { city: string; registry: string };
};

/**
 * Merges the two location sources of an address. The city source takes precedence, since city and coordinates come from it.
 * The registry replaces a missing country. The time zone is derived from the coordinates.
 */
export function locate(record: CityRecord | null, registryCountry: string): LocatedIp {
  const city = countryOrUnknown(record?.country_code);
  const registry = countryOrUnknown(registryCountry);
  const countryCode = city || registry;
  return {
    location: placeOf(city ? record : null, countryCode),
    countryConfidence: countryConfidence(city, registry),
    countrySources: { city, registry },
  };
}

function countryOrUnknown(code: string | undefined): string {
  return code !== undefined && isCountryCode(code) ? code : '';
}

function countryConfidence(city: string, registry: string): number {
  if (city === '' && registry === '') return 0;
  if (city === '' || registry === '') return COUNTRY_CONFIDENCE.oneSource;
  return city === registry ? COUNTRY_CONFIDENCE.agree : COUNTRY_CONFIDENCE.disagree;
}

function placeOf(record: CityRecord | null, countryCode: string): IpLocation {
  const point = coordinatesOf({
    latitude: coordinate(record?.latitude),
    longitude: coordinate(record?.longitude),
  });
  return {
    continent: continentOf(countryCode),
    countryCode,
    state: record?.state1 ?? '',
    city: record?.city ?? '',
    zipCode: record?.postcode ?? '',
    timezone: point ? lookUpTimezone(point.latitude, point.longitude) : '',
    latitude: point?.latitude ?? null,
    longitude: point?.longitude ?? null,
  };
}

/** Rounded to four decimals (11 m): the databases store 32-bit numbers, whose further digits are noise. */
function coordinate(value: number | undefined): number | null {
  if (value === undefined || Number.isNaN(value)) return null;
  return Math.round(value * 10_000) / 10_000;
}
