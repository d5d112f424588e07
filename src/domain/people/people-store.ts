import { namedStatement } from '../../storage/named-statement.ts';
import type { PeopleDatabase } from '../../storage/people-database.ts';
import type { PersonRole } from '../projects/person-role.ts';
import type { Membership, Person } from './person.ts';

type Query = PeopleDatabase['query'];

type PersonRow = {
  id: string;
  name: string;
  email: string;
  two_factor_enabled: boolean | null;
  disabled_at: Date | null;
  created_at: Date;
};

const PERSON = 'p.id, p.name, p.email, p.two_factor_enabled, p.disabled_at, p.created_at';

const toPerson = (row: PersonRow): Person => ({
  personId: row.id,
  name: row.name,
  email: row.email,
  twoFactorEnabled: row.two_factor_enabled === true,
  disabledAt: row.disabled_at,
  createdAt: row.created_at,
});

const LOCK = { name: 'person.lock', text: `select pg_advisory_xact_lock(hashtext('vouchgraph_people'))` };

/** Waits for other changes of people of the installation, which are rare: what is read now is true until the commit. */
export async function lockPeople(query: Query): Promise<void> {
  await query(LOCK, []);
}

const FIND_PERSON = { name: 'person.find', text: `select ${PERSON} from people p where p.email = $1` };

export async function findPersonByEmail(query: Query, email: string): Promise<Person | null> {
  const [row] = await query<PersonRow>(FIND_PERSON, [email]);
  return row ? toPerson(row) : null;
}

const LIST_PEOPLE = {
  name: 'person.list',
  text: `select ${PERSON}, coalesce(jsonb_agg(jsonb_build_object('projectId', m.project_id, 'role', m.role) order by m.project_id)
           filter (where m.project_id is not null), '[]') as memberships
         from people p left join memberships m on m.person_id = p.id group by p.id order by p.email`,
};

/** All people with their roles, by email. */
export async function listPeople(query: Query): Promise<(Person & { memberships: Membership[] })[]> {
  const rows = await query<PersonRow & { memberships: Membership[] }>(LIST_PEOPLE, []);
  return rows.map((row) => ({ ...toPerson(row), memberships: row.memberships }));
}

const INSERT_PERSON = {
  name: 'person.insert',
  text: `insert into people (id, name, email, email_verified, two_factor_enabled, created_at, updated_at)
         values ($1, $2, $3, true, false, $4, $4) on conflict (email) do nothing returning id`,
};
const INSERT_CREDENTIAL = {
  name: 'person.insert_password',
  text: `insert into credentials (id, person_id, provider_id, account_id, password, created_at, updated_at)
         values (gen_random_uuid(), $1::uuid, 'credential', ($1::uuid)::text, $2, $3, $3)`,
};

/** Stores a person, with a password hash unless it is null; false when another person has the email. */
export async function insertPerson(
  query: Query,
  person: { personId: string; name: string; email: string; passwordHash: string | null; at: Date },
): Promise<boolean> {
  const { personId, name, email, passwordHash, at } = person;
  const inserted = await query(INSERT_PERSON, [personId, name, email, at]);
  if (inserted.length === 0) return false;
  if (passwordHash !== null) await query(INSERT_CREDENTIAL, [personId, passwordHash, at]);
  return true;
}

const UPDATE_PASSWORD = {
  name: 'person.update_password',
  text: `with changed as (
           update credentials set password = $2, updated_at = $3
           where person_id = $1 and provider_id = 'credential' returning id)
         insert into credentials (id, person_id, provider_id, account_id, password, created_at, updated_at)
         select gen_random_uuid(), $1::uuid, 'credential', ($1::uuid)::text, $2, $3, $3 where not exists (select from changed)`,
};

export async function updatePassword(
  query: Query,
  personId: string,
  passwordHash: string,
  at: Date,
): Promise<void> {
  await query(UPDATE_PASSWORD, [personId, passwordHash, at]);
}

/** Role of a person in a project, with the provider whose claims gave it. */
export type StoredRole = { projectId: string; role: PersonRole; provider: string | null };

const LIST_ROLES = {
  name: 'person.list_roles',
  text: `select project_id as "projectId", role, provider_id as provider from memberships where person_id = $1 order by project_id`,
};

/** Roles of a person in all projects. */
export function listRoles(query: Query, personId: string): Promise<StoredRole[]> {
  return query<StoredRole>(LIST_ROLES, [personId]);
}

const UPSERT_MEMBERSHIP = {
  name: 'person.upsert_membership',
  text: `insert into memberships (person_id, project_id, role, created_at) values ($1, $2, $3, $4)
         on conflict (person_id, project_id) do update set role = excluded.role, provider_id = null`,
};
const DELETE_MEMBERSHIP = {
  name: 'person.delete_membership',
  text: 'delete from memberships where person_id = $1 and project_id = $2 returning role',
};

/** Gives a person a role in a project, in place of an earlier one. */
export async function putMembership(
  query: Query,
  personId: string,
  { projectId, role }: Membership,
  at: Date,
): Promise<void> {
  await query(UPSERT_MEMBERSHIP, [personId, projectId, role, at]);
}

/** Removes a person from a project; false when the person had no role in it. */
export async function deleteMembership(query: Query, personId: string, projectId: string): Promise<boolean> {
  return (await query(DELETE_MEMBERSHIP, [personId, projectId])).length > 0;
}

const SET_DISABLED = {
  name: 'person.set_disabled',
  text: 'update people set disabled_at = $2, updated_at = $3 where id = $1',
};

export async function setDisabled(
  query: Query,
  personId: string,
  disabledAt: Date | null,
  at: Date,
): Promise<void> {
  await query(SET_DISABLED, [personId, disabledAt, at]);
}

export type InvitationRow = {
  id: string;
  /** Null for the first administrator, who chooses it. */
  email: string | null;
  name: string;
  person_id: string | null;
  created_by: string;
  memberships: { projectId: string; role: PersonRole }[];
  expires_at: Date;
};

const INSERT_INVITATION = namedStatement(
  'person.insert_invitation',
  `insert into invitations (id, secret_hash, email, name, person_id, memberships, created_by, created_at, expires_at)
         values (:id, :secretHash, :email, :name, :personId, :memberships, :createdBy, :createdAt, :expiresAt)`,
);

export type NewInvitationRow = {
  id: string;
  secretHash: Uint8Array;
  email: string | null;
  name: string;
  personId: string | null;
  memberships: readonly Membership[];
  createdBy: string;
  createdAt: Date;
  expiresAt: Date;
};

export async function insertInvitation(query: Query, row: NewInvitationRow): Promise<void> {
  await query(...INSERT_INVITATION.call({ ...row, memberships: JSON.stringify(row.memberships) }));
}

const INVITATION = 'id, email, name, person_id, created_by, memberships, expires_at';
const FIND_INVITATION = {
  name: 'person.find_invitation',
  text: `select ${INVITATION} from invitations where secret_hash = $1 and spent_at is null and expires_at > $2`,
};
const SPEND_INVITATION = {
  name: 'person.spend_invitation',
  text: `update invitations set spent_at = $2 where secret_hash = $1 and spent_at is null and expires_at > $2
         returning ${INVITATION}`,
};
/** An invitation that can be spent. */
export async function findInvitation(
  query: Query,
  secretHash: Uint8Array,
  now: Date,
): Promise<InvitationRow | null> {
  return (await query<InvitationRow>(FIND_INVITATION, [secretHash, now]))[0] ?? null;
}

/** Spends an invitation: of several concurrent requests one receives it. */
export async function spendInvitation(
  query: Query,
  secretHash: Uint8Array,
  now: Date,
): Promise<InvitationRow | null> {
  return (await query<InvitationRow>(SPEND_INVITATION, [secretHash, now]))[0] ?? null;
}

const DELETE_FIRST_LINKS = {
  name: 'person.delete_first_links',
  text: 'delete from invitations where email is null and spent_at is null',
};
const DELETE_RESET_LINKS = {
  name: 'person.delete_reset_links',
  text: 'delete from invitations where person_id = $1 and spent_at is null',
};
const DELETE_INVITATIONS = {
  name: 'person.delete_invitations',
  text: `delete from invitations where email = $1 and person_id is null and spent_at is null and exists (
           select from jsonb_array_elements(memberships) m where m ->> 'projectId' = any($2::text[]))`,
};

/** Removes the unspent links of the first administrator. */
export async function deleteFirstLinks(query: Query): Promise<void> {
  await query(DELETE_FIRST_LINKS, []);
}

/** Removes the unspent links with which a person chooses another password. */
export async function deleteResetLinks(query: Query, personId: string): Promise<void> {
  await query(DELETE_RESET_LINKS, [personId]);
}

/** Removes the unspent invitations of an email to one of the projects. Those of other projects remain valid. */
export async function deleteInvitations(
  query: Query,
  email: string,
  projectIds: readonly string[],
): Promise<void> {
  await query(DELETE_INVITATIONS, [email, projectIds]);
}

const FIND_DISABLED = {
  name: 'person.disabled',
  text: 'select disabled_at is not null as disabled from people where id = $1',
};

/** Whether a person is disabled or unknown. */
export async function findDisabled(query: Query, personId: string): Promise<boolean> {
  const [row] = await query<{ disabled: boolean }>(FIND_DISABLED, [personId]);
  return row?.disabled ?? true;
}

const DELETE_TWO_FACTOR = {
  name: 'person.delete_two_factor',
  text: `with removed as (delete from two_factors where person_id = $1)
         update people set two_factor_enabled = false, updated_at = $2 where id = $1`,
};
const DELETE_PASSKEYS = {
  name: 'person.delete_passkeys',
  text: `with identities as (delete from credentials where person_id = $1 and provider_id <> 'credential')
         delete from passkeys where person_id = $1`,
};

/** Removes the second factor, the passkeys and the identities of a person: others may have them, or the person lost them. */
export async function deleteFactors(query: Query, personId: string, at: Date): Promise<void> {
  await query(DELETE_TWO_FACTOR, [personId, at]);
  await query(DELETE_PASSKEYS, [personId]);
}

const HAS_ADMIN = {
  name: 'person.has_admin',
  text: `select 1 from memberships m join people p on p.id = m.person_id
         where m.role = 'admin' and p.disabled_at is null limit 1`,
};

/** Whether an administrator of any project exists. */
export async function hasAdministrator(query: Query): Promise<boolean> {
  return (await query(HAS_ADMIN, [])).length > 0;
}
