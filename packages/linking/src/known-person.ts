import { comparePersons, type Person } from './compare-persons.ts';
import { IDENTIFIER_KINDS } from './identifier-kinds.ts';
import { COMPARING_KINDS, PERSON_TIME_KINDS, type Period, type SharedIdentifier } from './link-weights.ts';
import { type ComparedPair, isCompared } from './pair-score.ts';

/** Compared fields of an account, with the period in which its fields were seen. */
export type KnownPerson = Person & Period;

const TIME_NUMBERS: ReadonlySet<number> = new Set(PERSON_TIME_KINDS.map((kind) => IDENTIFIER_KINDS[kind]));

/** A person with the period of the account's identifiers; null for an account without identifiers from its fields. */
export function knownPerson(
  person: Person,
  identifiers: readonly (Period & { readonly kind: number })[],
): KnownPerson | null {
  const own = identifiers.filter(({ kind }) => TIME_NUMBERS.has(kind));
  if (own.length === 0) return null;
  return {
    ...person,
    firstSeen: new Date(Math.min(...own.map(({ firstSeen }) => firstSeen.getTime()))),
    lastSeen: new Date(Math.max(...own.map(({ lastSeen }) => lastSeen.getTime()))),
  };
}

/** Comparison of two persons; null when one is unknown, or when they share no comparing identifier. */
export function comparedPair(
  shared: readonly Pick<SharedIdentifier, 'kind' | 'accounts'>[],
  mine: KnownPerson | null | undefined,
  theirs: KnownPerson | null | undefined,
): ComparedPair | null {
  if (!mine || !theirs || !isCompared(shared)) return null;
  return { likeness: comparePersons(mine, theirs), mine, theirs };
}

export const COMPARING_NUMBERS = COMPARING_KINDS.map((kind) => IDENTIFIER_KINDS[kind]).join(', ');

/** Lateral subquery for the period of `knownPerson`; `account` is the internal id. */
export const personTimes = (account: string) => `(
    select min(x.first_seen) as first_seen, max(x.last_seen) as last_seen from identifiers x
    where x.project_id = $1 and x.account_id = ${account} and x.kind in (${[...TIME_NUMBERS].join(', ')})
  )`;
