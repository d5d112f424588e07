import type { SessionFacts } from '../evidence/evidence.ts';
import type { Brand } from './checks.ts';

const MAX_HEADER_LENGTH = 1024;

/** The brands in the header `Sec-CH-UA`, a list of structured fields: `"Chromium";v="137", "Not/A)Brand";v="24"`. */
export function brandsOfHeader(header: string | undefined): Brand[] {
  const items = (header ?? '').slice(0, MAX_HEADER_LENGTH).matchAll(/"([^"\\]*)"\s*;\s*v="([\d.]+)"/g);
  return Array.from(items, ([, brand, version]) => ({ brand: brand!, version: version! }));
}

/**
 * Major version of Chromium among brands; null without it. Browsers add made-up brands (`Not/A)Brand`) on purpose, so that
 * sites do not rely on the list. The browser's own name has a separate version (Opera).
 */
export function chromiumMajor(brands: readonly Brand[]): number | null {
  const version = brands.find(({ brand }) => brand === 'Chromium')?.version ?? '';
  const major = Number(/^(\d{1,4})\b/.exec(version)?.[1]);
  return Number.isNaN(major) ? null : major;
}

/** Places of Chromium's version besides the user agent, with the version of each. */
export function hintedVersions({ checks, headers }: SessionFacts): { place: string; major: number }[] {
  const versions = [
    ['client hints', chromiumMajor(checks?.userAgentData?.brands ?? [])],
    ['full client hints', chromiumMajor(checks?.userAgentData?.fullVersionList ?? [])],
    ['client hints header', chromiumMajor(brandsOfHeader(headers['sec-ch-ua']))],
  ] as const;
  return versions.flatMap(([place, major]) => (major === null ? [] : { place, major }));
}

/** The platforms that the hints of the page and of its request name. */
export function hintedPlatforms({ checks, headers }: SessionFacts): string[] {
  const inHeader = /^"([^"\\]{1,64})"$/.exec((headers['sec-ch-ua-platform'] ?? '').trim())?.[1];
  return [checks?.userAgentData?.platform, inHeader].flatMap((platform) => platform || []);
}

/** Whether the hints call the device a phone; null without hints. */
export function hintedMobile({ checks, headers }: SessionFacts): boolean | null {
  const inHeader = (headers['sec-ch-ua-mobile'] ?? '').trim();
  if (inHeader === '?1' || inHeader === '?0') return inHeader === '?1';
  return checks?.userAgentData?.mobile ?? null;
}
