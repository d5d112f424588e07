import { TOR_ASNS, VPN_ASNS } from './anonymizer-asns.ts';
import type { AsnClass, AsnRow } from './asn-class-rows.ts';
import { CDN_ASNS, HOSTING_ASNS } from './hosting-asns.ts';
import { BUSINESS_ASNS, EDUCATION_ASNS, GOVERNMENT_ASNS } from './institution-asns.ts';
import { MOBILE_ASNS } from './mobile-asns.ts';
import { classesOfName } from './org-name-classes.ts';
import { SATELLITE_ASNS } from './satellite-asns.ts';

/** The curated classes. Numbers do not age as ranges do: an operator keeps its number and its business for years. */
export const CURATED_ASNS: Readonly<Record<AsnClass, readonly AsnRow[]>> = {
  satellite: SATELLITE_ASNS,
  mobile: MOBILE_ASNS,
  vpn: VPN_ASNS,
  tor: TOR_ASNS,
  hosting: HOSTING_ASNS,
  cdn: CDN_ASNS,
  education: EDUCATION_ASNS,
  government: GOVERNMENT_ASNS,
  business: BUSINESS_ASNS,
};

const CLASSES_BY_NUMBER = new Map<number, AsnClass[]>();
for (const [asnClass, rows] of Object.entries(CURATED_ASNS) as [AsnClass, readonly AsnRow[]][]) {
  for (const [, ...numbers] of rows) for (const number of numbers) addClass(number, asnClass);
}

/** VPN companies run on servers in data centers, and so do the exits of Tor: both are hosting too. */
function addClass(number: number, asnClass: AsnClass): void {
  const classes = CLASSES_BY_NUMBER.get(number) ?? [];
  const added: AsnClass[] = asnClass === 'vpn' || asnClass === 'tor' ? [asnClass, 'hosting'] : [asnClass];
  CLASSES_BY_NUMBER.set(number, [...new Set([...classes, ...added])]);
}

export type ClassifiedAsn = {
  classes: readonly AsnClass[];
  /** Source of the classes: the curated lists take precedence over the name. null without a class. */
  source: 'curated' | 'name' | null;
};

/** Classes of an autonomous system by its number, else by its registered name. */
export function classifyAsn(number: number, name: string): ClassifiedAsn {
  const curated = CLASSES_BY_NUMBER.get(number);
  if (curated) return { classes: curated, source: 'curated' };
  const classes = classesOfName(name);
  return { classes, source: classes.length > 0 ? 'name' : null };
}
