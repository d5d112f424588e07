import type { Clock } from '@vouchgraph/platform/clock';
import { pageAfter } from '@vouchgraph/platform/keyset';
import type { Database } from '../../storage/database.ts';
import type { PeopleDatabase } from '../../storage/people-database.ts';
import { addressOf } from '../audit/audit-entry.ts';
import { readAudit } from '../audit/audit-store.ts';
import { eraseValuesOfActor } from '../audit/erase-values-store.ts';
import type { AccessService, Viewer } from '../projects/access-service.ts';
import { assertMay } from '../projects/assert-may.ts';
import { findPerson } from './invitation-service.ts';
import { changedBy, personTarget } from './people-audit-store.ts';
import { lockPeople } from './people-store.ts';
import { deletePerson, listProjectIds, readPersonData } from './person-data-store.ts';

/** Entries of the audit log in an export, the newest of each project. */
const MAX_ENTRIES = 1000;

export type PersonDataDeps = {
  people: PeopleDatabase;
  findProject: AccessService['findProjectById'];
  forProject: Database['forProject'];
  clock: Clock;
};

export type PersonData = Record<string, unknown>;

export type PersonDataService = ReturnType<typeof createPersonDataService>;

/** Export and erasure of the data of people. */
export function createPersonDataService(deps: PersonDataDeps) {
  return {
    /** All stored data of the person of a request; null for a key. */
    exportOwn: (viewer: Viewer) => exportOwn(deps, viewer),
    /** All stored data of the person with an email, for the command line. */
    exportOf: async (email: string): Promise<PersonData> =>
      (await exportPerson(deps, (await findPerson(deps.people.query, email)).personId))!,
    /** Erases the person with an email, for the command line. */
    eraseOf: (email: string) => erasePerson(deps, email),
    /** Erases addresses and reasons of the entries of a person in the audit logs of all projects. */
    eraseAuditedValues: (personId: string) => eraseAuditedValues(deps, personId),
  };
}

async function exportOwn(deps: PersonDataDeps, viewer: Viewer): Promise<PersonData | null> {
  assertMay(viewer, 'person.read_own');
  return viewer.personId === undefined ? null : exportPerson(deps, viewer.personId);
}

async function exportPerson(deps: PersonDataDeps, personId: string): Promise<PersonData | null> {
  const { query } = deps.people;
  const stored = await readPersonData(query, personId);
  if (!stored) return null;
  const entries = await Promise.all(
    (await listProjectIds(query, personId)).map((projectId) => entriesOf(deps, projectId, personId)),
  );
  return { ...stored, auditEntries: entries.flat() };
}

/** What the audit log of a project contains of a person: its entries, with the addresses that it had. */
async function entriesOf({ findProject }: PersonDataDeps, projectId: string, personId: string) {
  const project = await findProject(projectId);
  if (!project) return [];
  const rows = await readAudit(
    project.database,
    { actor: personTarget(personId) },
    'newest',
    pageAfter(null, MAX_ENTRIES),
  );
  return rows.map((row) => ({
    projectId,
    auditId: row.audit_id,
    at: row.at.toISOString(),
    action: row.action,
    target: row.target,
    role: row.role,
    address: addressOf(project.cipher, { requestId: row.request_id, address: row.address }),
  }));
}

async function erasePerson(deps: PersonDataDeps, email: string): Promise<void> {
  const { people, clock } = deps;
  const { personId } = await findPerson(people.query, email);
  // Before the person too: after a crash in between the command can be repeated.
  await eraseAuditedValues(deps, personId);
  await people.transaction(async (query) => {
    await lockPeople(query);
    await deletePerson(query, await findPerson(query, email), changedBy('command line', clock.now()));
  });
  await eraseAuditedValues(deps, personId);
}

async function eraseAuditedValues({ people, forProject }: PersonDataDeps, personId: string): Promise<void> {
  for (const projectId of await listProjectIds(people.query, personId))
    await eraseValuesOfActor(forProject(projectId), personTarget(personId));
}
