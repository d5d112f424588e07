import type { PeopleDatabase } from '../../storage/people-database.ts';
import { type ChangedBy, personTarget } from './people-audit-store.ts';
import { recordInProjects } from './people-change-store.ts';
import { attemptKey, type Person } from './person.ts';

/* All stored data of a person: export and erasure. */

type Query = PeopleDatabase['query'];

/** SQL: the rows of a query as a list, in the order of their creation. */
const listOf = (rows: string) =>
  `(select coalesce(jsonb_agg(x order by x."createdAt"), '[]') from (${rows}) x)`;

/** Without secrets: hashes of passwords, keys of authenticator apps, tokens of sessions, secrets of links. */
const EXPORT = {
  name: 'person.export',
  text: `select to_jsonb(d) as data from (
    select p.id as "personId", p.name, p.email, p.created_at as "createdAt", p.updated_at as "updatedAt",
      p.disabled_at as "disabledAt", coalesce(p.two_factor_enabled, false) as "twoFactorEnabled",
      ${listOf(`select m.project_id as "projectId", m.role, m.provider_id as provider, m.created_at as "createdAt"
                from memberships m where m.person_id = p.id`)} as roles,
      ${listOf(`select s.id as "sessionId", s.ip_address as address, s.user_agent as "userAgent", s.method,
                s.created_at as "createdAt", s.last_used_at as "lastUsedAt", s.expires_at as "expiresAt"
                from sessions s where s.person_id = p.id`)} as sessions,
      ${listOf(`select case c.provider_id when 'credential' then 'password' else c.provider_id end as method,
                case when c.provider_id <> 'credential' then c.account_id end as identity,
                c.created_at as "createdAt", c.updated_at as "updatedAt"
                from credentials c where c.person_id = p.id`)} as "waysToSignIn",
      ${listOf(`select k.id as "passkeyId", k.name, k.device_type as "deviceType", k.backed_up as "backedUp", k.transports,
                k.aaguid, k.created_at as "createdAt"
                from passkeys k where k.person_id = p.id`)} as passkeys,
      ${listOf(`select i.id as "invitationId", i.name, i.memberships as roles, i.created_by as "createdBy",
                i.created_at as "createdAt", i.expires_at as "expiresAt", i.spent_at as "spentAt"
                from invitations i where i.email = p.email or i.person_id = p.id`)} as invitations,
      ${listOf(`select r.project_id as "projectId", r.reveal_id as "revealId", r.subject_kind as subject,
                r.subject_id as "subjectId", r.created_at as "createdAt", r.expires_at as "expiresAt"
                from reveals r where r.person_id = p.id`)} as reveals
    from people p where p.id = $1) d`,
};

/** The stored data of a person in the tables of people, and reveals; null for an unknown person. */
export async function readPersonData(
  query: Query,
  personId: string,
): Promise<Record<string, unknown> | null> {
  const [row] = await query<{ data: Record<string, unknown> }>(EXPORT, [personId]);
  return row?.data ?? null;
}

/** Values of sign-ins in progress are JSON or an id of a person. */
const DELETE_VERIFICATIONS = {
  name: 'person.erase_verifications',
  text: 'delete from verifications where strpos(value, $1) > 0 or strpos(lower(value), $2) > 0',
};
const DELETE_ATTEMPTS = { name: 'person.erase_attempts', text: 'delete from attempts where key = $1' };
const DELETE_INVITATIONS = {
  name: 'person.erase_invitations',
  text: 'delete from invitations where email = $1 or person_id = $2',
};
const DELETE_REVEALS = { name: 'person.erase_reveals', text: 'delete from reveals where person_id = $1' };
/** Sessions, passwords, identities, passkeys, second factors and roles are deleted with it. */
const DELETE_PERSON = { name: 'person.erase', text: 'delete from people where id = $1' };

/** Deletes a person with all that is stored of it, in a transaction that records it. */
export async function deletePerson(
  query: Query,
  { personId, email }: Pick<Person, 'personId' | 'email'>,
  by: ChangedBy,
): Promise<void> {
  await recordInProjects(query, personId, by, 'person.delete');
  await query(DELETE_VERIFICATIONS, [personId, email]);
  await query(DELETE_ATTEMPTS, [attemptKey(email)]);
  await query(DELETE_INVITATIONS, [email, personId]);
  await query(DELETE_REVEALS, [personId]);
  await query(DELETE_PERSON, [personId]);
}

const LIST_PROJECTS = {
  name: 'person.list_projects',
  text: `select distinct project_id as "projectId" from audit_log where actor = $1 and actor like 'person:%'`,
};

/** Ids of the projects whose audit logs have entries of a person: it may have no role in some of them any more. */
export async function listProjectIds(query: Query, personId: string): Promise<string[]> {
  const rows = await query<{ projectId: string }>(LIST_PROJECTS, [personTarget(personId)]);
  return rows.map(({ projectId }) => projectId);
}
