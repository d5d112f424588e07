import type { Clock } from '@vouchgraph/platform/clock';
import { AppError, invalidInput } from '@vouchgraph/platform/errors';
import { newId } from '@vouchgraph/platform/ids';
import { visibleName } from '@vouchgraph/platform/visible-text';
import { z } from 'zod';
import type { PeopleDatabase } from '../../storage/people-database.ts';
import { INVITATION_LIFETIME_MS, invitationHash, newInvitationSecret } from './invitation.ts';
import {
  deleteFactors,
  deleteMembership,
  deleteUnspentInvitations,
  findInvitation,
  findPersonByEmail,
  hasAdministrator,
  type InvitationRow,
  insertInvitation,
  insertPerson,
  listPeople,
  putMembership,
  setDisabled,
  spendInvitation,
  updatePassword,
} from './people-store.ts';
import { type Membership, normalizedEmail, type Person } from './person.ts';
import { deleteOtherSessions } from './person-session-store.ts';
import { MAX_PASSWORD_LENGTH, MIN_PASSWORD_LENGTH } from './sign-in-options-adapter.ts';

const emailShape = z.email('must be an email address').max(254, 'must be at most 254 characters');
const nameShape = visibleName(128);

export type InvitationDeps = {
  people: PeopleDatabase;
  hashPassword: (password: string) => Promise<string>;
  clock: Clock;
  /** Whether the installation may have a link of a first administrator now. */
  allowsFirst: () => Promise<boolean>;
  /** Shown as the sender of invitations. */
  actor: string;
};

/** What a person enters. The email counts only where the invitation has none. */
export type Entered = { email: string; name: string; password: string };

/** A link before it is written: its secret is stored nowhere. */
export type NewInvitation = { readonly secret: string; readonly expiresAt: Date };

export type InvitationService = ReturnType<typeof createInvitationService>;

/** People of the installation, for the command line and the first start, and the links with which they enter. */
export function createInvitationService(deps: InvitationDeps) {
  return {
    /**
     * Invites a person to projects. Replaces earlier unspent links of the email. A person who has entered before receives the
     * roles at once, and no link.
     */
    invite: (email: string, name: string, memberships: readonly Membership[]) =>
      invite(deps, email, name, memberships),
    /** Ends the sessions of a person and makes a link to choose another password. Removes second factors and passkeys too. */
    reset: (email: string) => reset(deps, email),
    /** Gives a person a role in a project, or none. */
    setRole: (email: string, projectId: string, role: Membership['role'] | null) =>
      setRole(deps, email, projectId, role),
    /** Disables a person, whose sessions end, or enables the person again. */
    setDisabled: (email: string, isDisabled: boolean) => changeDisabled(deps, email, isDisabled),
    list: () => listPeople(deps.people.query),
    /** A link with which the first administrator enters these projects. Null once an administrator exists, and where `allowsFirst` forbids it. */
    inviteFirst: (projectIds: readonly string[]) => inviteFirst(deps, projectIds),
    /** The invitation of a secret. Null for a secret that is unknown, spent or expired. */
    find: (secret: string) => find(deps, secret),
    /** Spends an invitation: the person gets this password. Throws `invitation.not_found` for any secret that is not valid. */
    accept: (secret: string, entered: Entered) => accept(deps, secret, entered),
  };
}

async function invite(
  deps: InvitationDeps,
  email: string,
  name: string,
  memberships: readonly Membership[],
): Promise<NewInvitation | null> {
  const known = await findPersonByEmail(deps.people.query, checkedEmail(email));
  if (!known)
    return writeLink(deps, {
      email: checkedEmail(email),
      name: checkedName(name),
      personId: null,
      memberships,
    });
  const at = deps.clock.now();
  await deps.people.transaction(async (query) => {
    for (const membership of memberships) await putMembership(query, known.personId, membership, at);
  });
  return null;
}

async function inviteFirst(
  deps: InvitationDeps,
  projectIds: readonly string[],
): Promise<NewInvitation | null> {
  const isAllowed = await deps.allowsFirst();
  if (!isAllowed || projectIds.length === 0 || (await hasAdministrator(deps.people.query))) return null;
  const memberships = projectIds.map((projectId) => ({ projectId, role: 'admin' as const }));
  return writeLink(deps, { email: null, name: '', personId: null, memberships });
}

async function reset(deps: InvitationDeps, email: string): Promise<NewInvitation> {
  const person = await findPerson(deps, email);
  await deleteOtherSessions(deps.people.query, person.personId, null);
  return writeLink(deps, {
    email: person.email,
    name: person.name,
    personId: person.personId,
    memberships: [],
  });
}

async function writeLink(
  { people, clock, actor }: InvitationDeps,
  invited: {
    email: string | null;
    name: string;
    personId: string | null;
    memberships: readonly Membership[];
  },
): Promise<NewInvitation> {
  const secret = newInvitationSecret();
  const createdAt = clock.now();
  const expiresAt = new Date(createdAt.getTime() + INVITATION_LIFETIME_MS);
  await people.transaction(async (query) => {
    await deleteUnspentInvitations(query, invited.email);
    await insertInvitation(query, {
      id: newId(createdAt.getTime()),
      email: invited.email,
      name: invited.name,
      personId: invited.personId,
      memberships: invited.memberships,
      secretHash: invitationHash(secret)!,
      createdBy: actor,
      createdAt,
      expiresAt,
    });
  });
  return { secret, expiresAt };
}

async function setRole(
  deps: InvitationDeps,
  email: string,
  projectId: string,
  role: Membership['role'] | null,
): Promise<void> {
  const { personId } = await findPerson(deps, email);
  if (role !== null) return putMembership(deps.people.query, personId, { projectId, role }, deps.clock.now());
  if (!(await deleteMembership(deps.people.query, personId, projectId)))
    throw new AppError('person.no_role', 'not_found', `${email} has no role in the project`);
}

async function changeDisabled(deps: InvitationDeps, email: string, isDisabled: boolean): Promise<void> {
  const { personId } = await findPerson(deps, email);
  const at = deps.clock.now();
  await deps.people.transaction(async (query) => {
    await setDisabled(query, personId, isDisabled ? at : null, at);
    if (isDisabled) await deleteOtherSessions(query, personId, null);
  });
}

async function findPerson({ people }: InvitationDeps, email: string): Promise<Person> {
  const person = await findPersonByEmail(people.query, checkedEmail(email));
  if (!person)
    throw new AppError(
      'person.not_found',
      'not_found',
      `No person with this email: ${JSON.stringify(email)}`,
    );
  return person;
}

/** The link of the first administrator is valid only for as long as the installation may have it. */
async function find(deps: InvitationDeps, secret: string): Promise<InvitationRow | null> {
  const hash = invitationHash(secret);
  const found = hash && (await findInvitation(deps.people.query, hash, deps.clock.now()));
  return found?.email === null && !(await deps.allowsFirst()) ? null : found;
}

async function accept(
  deps: InvitationDeps,
  secret: string,
  { name, password, ...entered }: Entered,
): Promise<{ email: string }> {
  // Before the hash of the password, which costs processor time; also for callers that did not look it up.
  if (!(await find(deps, secret))) throw invitationNotFound();
  const shownName = checkedName(name);
  checkPassword(password);
  const passwordHash = await deps.hashPassword(password);
  const at = deps.clock.now();
  return deps.people.transaction(async (query) => {
    const invitation = await spendInvitation(query, invitationHash(secret)!, at);
    if (!invitation) throw invitationNotFound();
    const { person_id, memberships } = invitation;
    const email = invitation.email ?? checkedEmail(entered.email);
    if (person_id !== null) {
      await updatePassword(query, person_id, passwordHash, at);
      await deleteFactors(query, person_id, at);
      await deleteOtherSessions(query, person_id, null);
      return { email };
    }
    const personId = newId(at.getTime());
    const isNew = await insertPerson(query, { personId, name: shownName, email, passwordHash, at });
    // Entered meanwhile by another link.
    if (!isNew) throw invitationNotFound();
    if (invitation.email === null && (await hasAdministrator(query))) throw invitationNotFound();
    for (const membership of memberships) await putMembership(query, personId, membership, at);
    return { email };
  });
}

/** The same error for an unknown, a spent and an expired link. */
export function invitationNotFound(): AppError {
  return new AppError(
    'invitation.not_found',
    'not_found',
    'The link is unknown, was used before, or has expired: ask for another one',
  );
}

function checkedEmail(text: string): string {
  const email = normalizedEmail(text);
  const parsed = emailShape.safeParse(email);
  if (!parsed.success) throw invalidInput(`email: ${parsed.error.issues[0]!.message}`, ['email']);
  return email;
}

function checkedName(text: string): string {
  const parsed = nameShape.safeParse(text.trim());
  if (!parsed.success) throw invalidInput(`name: ${parsed.error.issues[0]!.message}`, ['name']);
  return parsed.data;
}

function checkPassword(password: string): void {
  const length = [...password].length;
  if (length < MIN_PASSWORD_LENGTH || length > MAX_PASSWORD_LENGTH)
    throw new AppError(
      length < MIN_PASSWORD_LENGTH ? 'password.too_short' : 'password.too_long',
      'invalid_input',
      `password: must be ${MIN_PASSWORD_LENGTH} to ${MAX_PASSWORD_LENGTH} characters`,
      { path: ['password'] },
    );
}
