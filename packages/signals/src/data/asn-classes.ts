import table from '../../data/autonomous-systems.json' with { type: 'json' };
import type { AsnClass } from './asn-class.ts';
import { classesOfName } from './org-name-classes.ts';

/** One operator: a part of its name in the table of autonomous systems, and its numbers. A test compares each with the table. */
type AsnOperator = { readonly name: string; readonly numbers: readonly number[]; readonly note?: string };
type AsnGroup = { readonly about?: string; readonly systems: readonly AsnOperator[] };

const CURATED: Readonly<Record<AsnClass, { readonly groups: readonly AsnGroup[] }>> = table;

/** The curated classes. Numbers do not age as ranges do: an operator keeps its number and its business for years. */
export const CURATED_ASNS = Object.entries(CURATED).map(([asnClass, { groups }]) => ({
  asnClass: asnClass as AsnClass,
  systems: groups.flatMap(({ systems }) => systems),
}));

const CLASSES_BY_NUMBER = new Map<number, AsnClass[]>();
for (const { asnClass, systems } of CURATED_ASNS) {
  for (const { numbers } of systems) for (const number of numbers) addClass(number, asnClass);
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
