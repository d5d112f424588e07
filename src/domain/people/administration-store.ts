import type { PeopleDatabase } from '../../storage/people-database.ts';
import { MAX_LISTED, type PendingInvitation, type ProjectPerson } from './administration.ts';

type Query = PeopleDatabase['query'];

const PERSON = `p.id as "personId", p.name, p.email, m.role, r.name as "roleProvider",
  coalesce(p.two_factor_enabled, false) as "twoFactorEnabled", p.disabled_at as "disabledAt", m.created_at as "joinedAt",
  (select max(s.created_at) from sessions s where s.person_id = p.id and s.expires_at > $2 and s.last_used_at > $3) as "signedInAt"
  from memberships m join people p on p.id = m.person_id left join providers r on r.id = m.provider_id`;

const LIST_PEOPLE = {
  name: 'person.list_of_project',
  text: `select ${PERSON} where m.project_id = $1 order by p.email limit ${MAX_LISTED}`,
};
const FIND_PERSON = {
  name: 'person.find_in_project',
  text: `select ${PERSON} where m.project_id = $1 and p.id = $4`,
};

/** Now, and the time before which a session that was not used has ended. */
export type SessionTimes = { readonly now: Date; readonly idleSince: Date };

/** People with a role in a project, by email. */
export function listProjectPeople(
  query: Query,
  projectId: string,
  { now, idleSince }: SessionTimes,
): Promise<ProjectPerson[]> {
  return query<ProjectPerson>(LIST_PEOPLE, [projectId, now, idleSince]);
}

/** A person with a role in a project; null without one. */
export async function findProjectPerson(
  query: Query,
  projectId: string,
  { now, idleSince }: SessionTimes,
  personId: string,
): Promise<ProjectPerson | null> {
  return (await query<ProjectPerson>(FIND_PERSON, [projectId, now, idleSince, personId]))[0] ?? null;
}

const PENDING = `i.id as "invitationId", i.email, i.name, m ->> 'role' as role, i.created_by as "createdBy",
  i.created_at as "createdAt", i.expires_at as "expiresAt"
  from invitations i cross join lateral jsonb_array_elements(i.memberships) m
  where i.email is not null and i.person_id is null and i.spent_at is null and i.expires_at > $2 and m ->> 'projectId' = $1::text`;

const LIST_PENDING = {
  name: 'person.list_invitations',
  text: `select ${PENDING} order by i.created_at desc, i.id limit ${MAX_LISTED}`,
};
const FIND_PENDING = { name: 'person.find_pending', text: `select ${PENDING} and i.id = $3` };
const DELETE_PENDING = {
  name: 'person.delete_pending',
  text: 'delete from invitations where id = $1 and spent_at is null returning id',
};

/** Invitations to a project that can be spent, the newest first. */
export function listPending(query: Query, projectId: string, now: Date): Promise<PendingInvitation[]> {
  return query<PendingInvitation>(LIST_PENDING, [projectId, now]);
}

/** Deletes an invitation to a project that can be spent, and returns it; null without one. */
export async function deletePending(
  query: Query,
  projectId: string,
  now: Date,
  invitationId: string,
): Promise<PendingInvitation | null> {
  const [found] = await query<PendingInvitation>(FIND_PENDING, [projectId, now, invitationId]);
  // A person may spend it meanwhile.
  const isDeleted = found !== undefined && (await query(DELETE_PENDING, [invitationId])).length > 0;
  return isDeleted ? found : null;
}

const IS_ADMIN = {
  name: 'person.is_admin',
  text: `select 1 from memberships m join people p on p.id = m.person_id
         where m.person_id = $1 and m.project_id = $2 and m.role = 'admin' and p.disabled_at is null`,
};

/** Whether a person administers a project, and is not disabled. */
export async function isAdministrator(query: Query, personId: string, projectId: string): Promise<boolean> {
  return (await query(IS_ADMIN, [personId, projectId])).length > 0;
}

const HAS_OTHER_ADMIN = {
  name: 'person.has_other_admin',
  text: `select 1 from memberships m join people p on p.id = m.person_id
         where m.project_id = $1 and m.person_id <> $2 and m.role = 'admin' and p.disabled_at is null limit 1`,
};

/** Whether another person administers the project, and is not disabled. */
export async function hasOtherAdministrator(
  query: Query,
  projectId: string,
  personId: string,
): Promise<boolean> {
  return (await query(HAS_OTHER_ADMIN, [projectId, personId])).length > 0;
}

const ADMINISTERS_ALL = {
  name: 'person.administers_all',
  text: `select 1 where exists (select from memberships where person_id = $2) and not exists (
           select from memberships m where m.person_id = $2 and not exists (
             select from memberships a join people p on p.id = a.person_id
             where a.person_id = $1 and a.project_id = m.project_id and a.role = 'admin' and p.disabled_at is null))`,
};

const LEFT_ELSEWHERE = {
  name: 'person.left_elsewhere',
  text: `select 1 from projects p
         where (exists (select from audit_log a where a.project_id = p.project_id and a.actor = 'person:' || $2::text and a.actor like 'person:%')
             or exists (select from reveals r where r.project_id = p.project_id and r.person_id = $2::uuid)
             or exists (select from invitations i, jsonb_array_elements(i.memberships) m
               where i.email = $3 and i.spent_at is null and m ->> 'projectId' = p.project_id::text))
           and not exists (select from memberships a where a.person_id = $1 and a.project_id = p.project_id and a.role = 'admin')
         limit 1`,
};

/** Whether projects that a person does not administer contain entries, reveals or invitations of another. */
export async function hasLeftElsewhere(
  query: Query,
  administratorId: string,
  { personId, email }: { personId: string; email: string },
): Promise<boolean> {
  return (await query(LEFT_ELSEWHERE, [administratorId, personId, email])).length > 0;
}

/** Whether a person administers every project in which another has a role. */
export async function administersAllProjects(
  query: Query,
  administratorId: string,
  personId: string,
): Promise<boolean> {
  return (await query(ADMINISTERS_ALL, [administratorId, personId])).length > 0;
}
