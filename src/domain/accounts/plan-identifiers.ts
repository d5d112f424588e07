import { changedKinds, type LinkStrength, linkStrength, requestedKinds } from '@vouchgraph/decisions';
import {
  type AccountIdentifier,
  type IdentifierKey,
  identifierKey,
  isCountingKind,
  kindOfNumber,
  knownPerson,
  type LinkPlan,
  type PersonsOfPlan,
  recomputeIdentifiers,
  repeats,
} from '@vouchgraph/linking';
import type { PersonalFields } from '@vouchgraph/persons';
import { LIMITS } from '@vouchgraph/platform/limits';
import { type PersonRow, personOfFields, type ReadPerson, readPersons } from '../linking/read-persons.ts';
import { decryptPersonal } from '../model/decrypt-personal.ts';
import type { Project } from '../projects/project.ts';
import type { ChangeContext } from './account-change-store.ts';
import type { ChangeOptions, ChangeRequest } from './change-request.ts';

/** Identifiers of an account whose match keys are recomputed; null for other changes. */
export function recomputedIdentifiers(
  { recomputes }: ChangeOptions,
  { account, mine }: ChangeContext,
  current: readonly IdentifierKey[],
) {
  if (!recomputes || !account) return null;
  // The session that creates an account starts before the account's creation time.
  const defaultPeriod = {
    firstSeen: account.first_seen ?? account.created_at,
    lastSeen: account.last_seen ?? account.updated_at,
  };
  return recomputeIdentifiers(mine, current, { dropsStale: recomputes === 'drop', defaultPeriod });
}

/**
 * Kinds whose stored identifiers a request replaces. A stale match key of an unchanged field is kept, because other accounts may
 * not have the current keys yet.
 */
export function replacedKinds(
  project: Project,
  { account, hasStaleKeys }: ChangeContext,
  after: { personal: PersonalFields; expectedCountries: readonly string[] },
  { changes, options }: ChangeRequest,
): number[] {
  if (!account || !hasStaleKeys) return requestedKinds(changes, options.document ?? null);
  const { expected_countries: expectedCountries } = account;
  return changedKinds({ personal: decryptPersonal(project, account), expectedCountries }, after);
}

/** Person of the account after the change, and persons of the accounts that it is compared with. */
export function personsOfPlan(
  project: Project,
  personal: PersonalFields,
  identifiers: readonly AccountIdentifier[],
  others: readonly (PersonRow | ReadPerson)[],
): PersonsOfPlan {
  if (others.length === 0) return { own: null, others: new Map() };
  return { own: knownPerson(personOfFields(personal), identifiers), others: readPersons(project, others) };
}

/**
 * Identifiers whose rows must be inserted (`added`) or updated (`used`). `mine`: stored identifiers. Those of `dropped` are deleted
 * before; one beyond its history limit that is used again is inserted as a new one.
 */
export function changedIdentifiers(
  identifiers: readonly AccountIdentifier[],
  mine: readonly AccountIdentifier[],
  dropped: readonly AccountIdentifier[],
): { added: AccountIdentifier[]; used: AccountIdentifier[] } {
  const stored = new Map(mine.map((one) => [identifierKey(one.kind, one.hash), one]));
  for (const { kind, hash } of dropped) stored.delete(identifierKey(kind, hash));
  const storedOf = ({ kind, hash }: AccountIdentifier) => stored.get(identifierKey(kind, hash));
  return {
    added: identifiers.filter((one) => !storedOf(one)),
    used: identifiers.filter((one) => {
      const before = storedOf(one);
      return before !== undefined && isChanged(one, before);
    }),
  };
}

/** Identifiers that only serve counting are written once; others at each use. */
function isChanged(one: AccountIdentifier, before: AccountIdentifier): boolean {
  if (isCountingKind(kindOfNumber(one.kind))) return false;
  const isLonger = before.firstSeen > one.firstSeen || before.lastSeen < one.lastSeen;
  return isLonger || (before.uses !== one.uses && repeats(kindOfNumber(one.kind)));
}

/** Strength of the strongest links; further links of a very large ring have no effect. */
export function strengthOf(plan: LinkPlan): LinkStrength {
  const scores = plan.links.map(({ score }) => score).sort((a, b) => b - a);
  return linkStrength(scores.slice(0, LIMITS.linksPerAccount));
}
