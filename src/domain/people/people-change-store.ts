import { newId } from '@vouchgraph/platform/ids';
import type { PeopleDatabase } from '../../storage/people-database.ts';
import { isAdministrator } from './administration-store.ts';
import {
  INVITATION_LIFETIME_MS,
  invitationHash,
  invitationNotFound,
  newInvitationSecret,
} from './invitation.ts';
import {
  type ChangedBy,
  changedBy,
  invitationTarget,
  personTarget,
  type RecordedRole,
  recordChange,
} from './people-audit-store.ts';
import {
  deleteFirstLinks,
  deleteInvitations,
  deleteMembership,
  deleteResetLinks,
  findPersonByEmail,
  type InvitationRow,
  insertInvitation,
  listRoles,
  putMembership,
  type StoredRole,
  setDisabled,
} from './people-store.ts';
import type { Membership, Person } from './person.ts';
import { deleteOtherSessions } from './person-session-store.ts';

/* Changes of people in a transaction, each with its entries in the audit logs of the projects that it affects. */

type Query = PeopleDatabase['query'];

/** A link before it is sent: its secret is stored nowhere. */
export type NewInvitation = {
  readonly invitationId: string;
  readonly secret: string;
  readonly createdAt: Date;
  readonly expiresAt: Date;
};

type Link = Pick<Person, 'name'> & {
  readonly email: string | null;
  readonly personId: string | null;
  readonly memberships: readonly Membership[];
};

async function insertLink(query: Query, link: Link, { actor, at }: ChangedBy): Promise<NewInvitation> {
  const secret = newInvitationSecret();
  const expiresAt = new Date(at.getTime() + INVITATION_LIFETIME_MS);
  const invitationId = newId(at.getTime());
  await insertInvitation(query, {
    ...link,
    id: invitationId,
    secretHash: invitationHash(secret)!,
    createdBy: actor,
    createdAt: at,
    expiresAt,
  });
  return { invitationId, secret, createdAt: at, expiresAt };
}

/** A link of the first administrator, in place of earlier ones. Its use is recorded. */
export async function insertFirstLink(
  query: Query,
  memberships: readonly Membership[],
  by: ChangedBy,
): Promise<NewInvitation> {
  await deleteFirstLinks(query);
  return insertLink(query, { email: null, name: '', personId: null, memberships }, by);
}

/**
 * Invites an email to projects, in place of its earlier invitations to them. A person with a role in all of them receives the
 * roles at once, and no link. Anyone else needs the link: another project cannot know whose the email of a person is.
 */
export async function invitePerson(
  query: Query,
  { email, name, memberships }: { email: string; name: string; memberships: readonly Membership[] },
  by: ChangedBy,
): Promise<{ known: Person | null; link: NewInvitation | null }> {
  await deleteInvitations(
    query,
    email,
    memberships.map(({ projectId }) => projectId),
  );
  const known = await findPersonByEmail(query, email);
  const roles = known ? await listRoles(query, known.personId) : [];
  if (known && memberships.every(({ projectId }) => roleIn(roles, projectId))) {
    for (const membership of memberships) await giveRole(query, known.personId, membership, by);
    return { known, link: null };
  }
  const link = await insertLink(query, { email, name, personId: null, memberships }, by);
  for (const { projectId, role } of memberships)
    await recordChange(query, projectId, by, {
      action: 'person.invite',
      target: invitationTarget(link.invitationId),
      after: { role, expiresAt: link.expiresAt },
    });
  return { known: null, link };
}

/** Whether the author of an invitation, if it is a person, still administers its projects. */
export async function hasValidAuthor(
  query: Query,
  { memberships, created_by }: Pick<InvitationRow, 'memberships' | 'created_by'>,
): Promise<boolean> {
  const [, author = null] = /^person:(.+)$/.exec(created_by) ?? [];
  if (author === null) return true;
  for (const { projectId } of memberships)
    if (!(await isAdministrator(query, author, projectId))) return false;
  return true;
}

/**
 * Gives a person the roles of an invitation that it has spent. Throws `invitation.not_found` when the administrator who wrote it does not
 * administer its projects any more.
 */
export async function enterProjects(
  query: Query,
  personId: string,
  { id, memberships, created_by }: Pick<InvitationRow, 'id' | 'memberships' | 'created_by'>,
  at: Date,
): Promise<void> {
  if (!(await hasValidAuthor(query, { memberships, created_by }))) throw invitationNotFound();
  const before = await listRoles(query, personId);
  for (const membership of memberships) {
    const { projectId, role } = membership;
    await putMembership(query, personId, membership, at);
    await recordChange(query, projectId, changedBy(personTarget(personId), at), {
      action: 'person.enter',
      target: personTarget(personId),
      before: roleIn(before, projectId),
      after: { role, invitationId: id },
    });
  }
}

/** Gives a person a role in a project, in place of an earlier one. */
export async function giveRole(
  query: Query,
  personId: string,
  membership: Membership,
  by: ChangedBy,
): Promise<void> {
  const { projectId, role } = membership;
  const before = roleIn(await listRoles(query, personId), projectId);
  if (before?.role === role && before.provider === undefined) return;
  await putMembership(query, personId, membership, by.at);
  await recordChange(query, projectId, by, {
    action: 'person.set_role',
    target: personTarget(personId),
    before,
    after: { role },
  });
}

/** Removes a person from a project; false when the person has no role in it. */
export async function removeFromProject(
  query: Query,
  personId: string,
  projectId: string,
  by: ChangedBy,
): Promise<boolean> {
  const before = roleIn(await listRoles(query, personId), projectId);
  if (!(await deleteMembership(query, personId, projectId))) return false;
  await recordChange(query, projectId, by, {
    action: 'person.remove',
    target: personTarget(personId),
    before,
  });
  return true;
}

/** Ends the sessions of a person and makes a link to choose another password, in place of earlier ones. */
export async function resetPerson(
  query: Query,
  { personId, email, name }: Pick<Person, 'personId' | 'email' | 'name'>,
  by: ChangedBy,
): Promise<NewInvitation> {
  await deleteOtherSessions(query, personId, null);
  await deleteResetLinks(query, personId);
  const link = await insertLink(query, { email, name, personId, memberships: [] }, by);
  await recordInProjects(query, personId, by, 'person.reset');
  return link;
}

/** Disables a person, whose sessions end, or enables the person again. */
export async function changeDisabled(
  query: Query,
  { personId, disabledAt }: Pick<Person, 'personId' | 'disabledAt'>,
  isDisabled: boolean,
  by: ChangedBy,
): Promise<void> {
  if ((disabledAt !== null) === isDisabled) return;
  await setDisabled(query, personId, isDisabled ? by.at : null, by.at);
  if (isDisabled) await deleteOtherSessions(query, personId, null);
  await recordInProjects(query, personId, by, isDisabled ? 'person.disable' : 'person.enable');
}

/** An entry in each project in which the person has a role, with that role. */
export async function recordInProjects(
  query: Query,
  personId: string,
  by: ChangedBy,
  action: 'person.reset' | 'person.disable' | 'person.enable' | 'person.delete',
): Promise<void> {
  for (const { projectId, role } of await listRoles(query, personId))
    await recordChange(query, projectId, by, { action, target: personTarget(personId), before: { role } });
}

/** The role in a project as entries contain it. */
export function roleIn(roles: readonly StoredRole[], projectId: string): RecordedRole | null {
  const found = roles.find((each) => each.projectId === projectId);
  if (!found) return null;
  const { role, provider } = found;
  return provider === null ? { role } : { role, provider };
}
