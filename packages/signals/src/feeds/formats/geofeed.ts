import { continentOf, isCountryCode } from '@vouchgraph/platform/countries';
import { csvFields } from '@vouchgraph/platform/csv';
import { parseRange } from '@vouchgraph/platform/ip/ip-range';
import { createFeedContent, type EntryTag, type FeedContent, linesOf, PLAIN_TAG } from '../feed-content.ts';

/**
 * RFC 8805: `prefix,country,region,city,postal code`. Apple's egress ranges and Starlink's are such files. The place is
 * published by the operator and takes precedence over databases; it has no coordinates.
 *
 * A line with a country that is no ISO code counts as bad. Its range stays on the list, without a place.
 */
export function parseGeofeed(text: string): FeedContent {
  const content = createFeedContent();
  for (const { line, text: entry } of linesOf(text)) {
    const [prefix = '', country = '', , city = '', postal = ''] = csvFields(entry).map((field) =>
      field.trim(),
    );
    const range = parseRange(prefix);
    const countryCode = country.toUpperCase();
    if (range && countryCode !== '' && !isCountryCode(countryCode)) content.bad(line, entry);
    content.add(line, entry, range, tagOf(countryCode, city, postal));
  }
  return content;
}

function tagOf(country: string, city: string, zipCode: string): EntryTag {
  if (!isCountryCode(country)) return PLAIN_TAG;
  const location = {
    countryCode: country,
    continent: continentOf(country),
    ...(city ? { city } : {}),
    ...(zipCode ? { zipCode } : {}),
  };
  return { ...PLAIN_TAG, location };
}
