import type { PeopleDatabase } from '../../storage/people-database.ts';
import type { PersonRole } from '../projects/person-role.ts';
import { type ChangedBy, changedBy, personTarget, recordChange } from './people-audit-store.ts';
import { roleIn } from './people-change-store.ts';
import { listRoles } from './people-store.ts';

/* Roles that claims of a provider give. A role that a person, a command or another provider gave is not changed by claims. */

type Query = PeopleDatabase['query'];

const SET_MAPPED_ROLE = {
  name: 'provider.set_role',
  text: `insert into memberships as m (person_id, project_id, role, provider_id, created_at) values ($1, $2, $3, $4, $5)
         on conflict (person_id, project_id) do update set role = excluded.role
         where m.provider_id = excluded.provider_id and m.role <> excluded.role returning project_id as "projectId"`,
};
const REMOVE_UNMAPPED = {
  name: 'provider.remove_roles',
  text: `delete from memberships where person_id = $1 and provider_id = $2 and not (project_id = any($3::uuid[]))
         returning project_id as "projectId"`,
};

type Changed = { projectId: string };

/** Gives a person the roles that a provider's claims give at a sign-in, and removes those that they gave before. */
export async function setMappedRoles(
  query: Query,
  personId: string,
  providerId: string,
  roles: ReadonlyMap<string, PersonRole | null>,
  at: Date,
): Promise<void> {
  const by = changedBy('system', at);
  const before = await listRoles(query, personId);
  const given = [...roles].flatMap(([projectId, role]) => (role === null ? [] : [{ projectId, role }]));
  for (const { projectId, role } of given) {
    const values = [personId, projectId, role, providerId, at];
    if ((await query(SET_MAPPED_ROLE, values)).length === 0) continue;
    await recordChange(query, projectId, by, {
      action: 'person.set_role',
      target: personTarget(personId),
      before: roleIn(before, projectId),
      after: { role, provider: providerId },
    });
  }
  const kept = given.map(({ projectId }) => projectId);
  for (const { projectId } of await query<Changed>(REMOVE_UNMAPPED, [personId, providerId, kept]))
    await recordRemoval(query, personId, roleIn(before, projectId), projectId, by);
}

const REMOVE_WITHOUT_IDENTITY = {
  name: 'provider.remove_roles_without_identity',
  text: `delete from memberships m where m.person_id = $1 and m.provider_id is not null
           and not exists (select from credentials c where c.person_id = $1 and c.provider_id = m.provider_id)
         returning m.project_id as "projectId"`,
};

/** Removes the roles that a person has by claims of providers at which it has no identity any more. */
export async function removeRolesWithoutIdentity(query: Query, personId: string, at: Date): Promise<void> {
  const before = await listRoles(query, personId);
  for (const { projectId } of await query<Changed>(REMOVE_WITHOUT_IDENTITY, [personId]))
    await recordRemoval(query, personId, roleIn(before, projectId), projectId, changedBy('system', at));
}

const LIST_OF_PROVIDER = {
  name: 'provider.list_given_roles',
  text: `select person_id as "personId", project_id as "projectId", role from memberships where provider_id = $1
         order by project_id, person_id`,
};

/** Records the end of all roles that a provider gave, before the provider is removed. */
export async function recordEndOfRoles(query: Query, providerId: string, by: ChangedBy): Promise<void> {
  type Given = { personId: string; projectId: string; role: PersonRole };
  for (const { personId, projectId, role } of await query<Given>(LIST_OF_PROVIDER, [providerId]))
    await recordRemoval(query, personId, { role, provider: providerId }, projectId, by);
}

function recordRemoval(
  query: Query,
  personId: string,
  before: ReturnType<typeof roleIn>,
  projectId: string,
  by: ChangedBy,
): Promise<void> {
  return recordChange(query, projectId, by, {
    action: 'person.remove',
    target: personTarget(personId),
    before,
  });
}
