import { type KnownPerson, type Person, personOf } from '@vouchgraph/linking';
import type { PersonalFields } from '@vouchgraph/persons';
import { decryptPersonal } from '../model/decrypt-personal.ts';
import type { Project } from '../projects/project.ts';
/** Encrypted fields of an account, with the period in which its fields were seen; null for an account without fields. */
export type PersonRow = {
  id: string;
  personal: Uint8Array;
  first_seen: Date | null;
  last_seen: Date | null;
};

/** The person of an account whose fields are known, instead of its encrypted fields; null when it is not compared. */
export type ReadPerson = { readonly id: string; readonly person: KnownPerson | null };

/** Persons by internal ids of accounts. An account whose fields cannot be decrypted is not compared. */
export function readPersons(
  project: Project,
  rows: readonly (PersonRow | ReadPerson)[],
): Map<string, KnownPerson> {
  const persons = new Map<string, KnownPerson>();
  for (const row of rows) {
    const person = 'person' in row ? row.person : readKnownPerson(project, row);
    if (person) persons.set(row.id, person);
  }
  return persons;
}

function readKnownPerson(project: Project, row: PersonRow): KnownPerson | null {
  const { first_seen: firstSeen, last_seen: lastSeen } = row;
  const person = firstSeen && lastSeen ? readPerson(project, row) : null;
  return person && { ...person, firstSeen: firstSeen!, lastSeen: lastSeen! };
}

function readPerson(project: Project, row: PersonRow): Person | null {
  try {
    return personOfFields(decryptPersonal(project, row));
  } catch {
    return null;
  }
}

/** Persons by their decrypted fields, which `decryptPersonal` caches: both have the same lifetime. */
const personsByFields = new WeakMap<PersonalFields, Person>();

/** The person of an account's fields. */
export function personOfFields(fields: PersonalFields): Person {
  const known = personsByFields.get(fields);
  if (known) return known;
  const person = personOf(fields);
  personsByFields.set(fields, person);
  return person;
}
