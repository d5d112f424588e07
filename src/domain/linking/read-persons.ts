import { openPersonal, type PersonalFields } from '../model/personal-fields.ts';
import type { Project } from '../projects/project.ts';
import { type Person, personOf } from './compare-persons.ts';
import type { KnownPerson } from './known-person.ts';

/** The encrypted fields of an account, and since when and until when it was known by them: null for one without any. */
export type PersonRow = {
  id: string;
  personal: Uint8Array;
  first_seen: Date | null;
  last_seen: Date | null;
};

/** An account of which an import keeps what it compares, without the encrypted fields; null for one that is compared with nobody. */
export type ReadPerson = { readonly id: string; readonly person: KnownPerson | null };

/** Holders of accounts by their internal ids. An account whose fields cannot be decrypted is compared with nobody. */
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

/** The holder of an account that is kept: read once. */
export function readPersonOf(project: Project, row: PersonRow): ReadPerson {
  return { id: row.id, person: readKnownPerson(project, row) };
}

function readKnownPerson(project: Project, row: PersonRow): KnownPerson | null {
  const { first_seen: firstSeen, last_seen: lastSeen } = row;
  const person = firstSeen && lastSeen ? readPerson(project, row) : null;
  return person && { ...person, firstSeen: firstSeen!, lastSeen: lastSeen! };
}

function readPerson(project: Project, row: PersonRow): Person | null {
  try {
    return personOfFields(openPersonal(project, row));
  } catch {
    return null;
  }
}

/** Decrypted fields are kept for a while (`openPersonal`): what was read of them lives as long. */
const readBefore = new WeakMap<PersonalFields, Person>();

/** The holder by an account's fields. */
export function personOfFields(fields: PersonalFields): Person {
  const known = readBefore.get(fields);
  if (known) return known;
  const person = personOf(fields);
  readBefore.set(fields, person);
  return person;
}
