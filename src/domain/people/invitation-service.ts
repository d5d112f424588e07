import type { Clock } from '@vouchgraph/platform/clock';
import { AppError } from '@vouchgraph/platform/errors';
import { newId } from '@vouchgraph/platform/ids';
import type { PeopleDatabase } from '../../storage/people-database.ts';
import { administersAllProjects } from './administration-store.ts';
import { invitationHash, invitationNotFound, signInRequired } from './invitation.ts';
import { removeRolesWithoutIdentity } from './mapped-role-store.ts';
import { changedBy } from './people-audit-store.ts';
import {
  changeDisabled,
  enterProjects,
  giveRole,
  hasValidAuthor,
  insertFirstLink,
  invitePerson,
  type NewInvitation,
  removeFromProject,
  resetPerson,
} from './people-change-store.ts';
import {
  deleteFactors,
  findInvitation,
  findPersonByEmail,
  hasAdministrator,
  type InvitationRow,
  insertPerson,
  listPeople,
  lockPeople,
  spendInvitation,
  updatePassword,
} from './people-store.ts';
import { checkedEmail, checkedName, type Membership, type Person } from './person.ts';
import { deleteOtherSessions } from './person-session-store.ts';
import { MAX_PASSWORD_LENGTH, MIN_PASSWORD_LENGTH } from './sign-in-options-adapter.ts';

type Query = PeopleDatabase['query'];

export type InvitationDeps = {
  people: PeopleDatabase;
  hashPassword: (password: string) => Promise<string>;
  clock: Clock;
  /** Whether the installation may have a link of a first administrator now. */
  allowsFirst: () => Promise<boolean>;
  /** Shown as the sender of invitations, and the author of changes. */
  actor: string;
};

/** What a person enters. The email counts only where the invitation has none. */
export type Entered = { email: string; name: string; password: string };

export type { NewInvitation } from './people-change-store.ts';

export type InvitationService = ReturnType<typeof createInvitationService>;

/** People of the installation, for the command line and the first start, and the links with which they enter. */
export function createInvitationService(deps: InvitationDeps) {
  return {
    /**
     * Invites a person to projects. Replaces earlier unspent links of the email to them. A person with a role in all
     * of them receives the roles at once, and no link.
     */
    invite: (email: string, name: string, memberships: readonly Membership[]) =>
      invite(deps, email, name, memberships),
    /** Ends the sessions of a person and makes a link to choose another password, which removes second factors and passkeys too. */
    reset: (email: string): Promise<NewInvitation> =>
      change(deps, async (query, by) => resetPerson(query, await findPerson(query, email), by)),
    /** Gives a person a role in a project, or none. */
    setRole: (email: string, projectId: string, role: Membership['role'] | null) =>
      setRole(deps, email, projectId, role),
    /** Disables a person, whose sessions end, or enables the person again. */
    setDisabled: (email: string, isDisabled: boolean): Promise<void> =>
      change(deps, async (query, by) =>
        changeDisabled(query, await findPerson(query, email), isDisabled, by),
      ),
    list: () => listPeople(deps.people.query),
    /** A link with which the first administrator enters these projects. Null once an administrator exists, and where `allowsFirst` forbids it. */
    inviteFirst: (projectIds: readonly string[]) => inviteFirst(deps, projectIds),
    /** The invitation of a secret. Null for a secret that is unknown, spent or expired. */
    find: (secret: string) => find(deps, secret),
    /**
     * Spends an invitation: the person gets this password. Throws `invitation.not_found` for any secret that is not valid, and
     * `invitation.sign_in_required` for the email of a person who has entered before.
     */
    accept: (secret: string, entered: Entered) => accept(deps, secret, entered),
    /**
     * Spends an invitation for the person with its email, who is signed in: the person receives its roles. False when the invitation is
     * not for this person.
     */
    acceptAs: (secret: string, personId: string) => acceptAs(deps, secret, personId),
    /** Whether a person with the email of an invitation has entered before. */
    isKnown: async ({ email, person_id }: InvitationRow): Promise<boolean> =>
      email !== null && person_id === null && (await findPersonByEmail(deps.people.query, email)) !== null,
  };
}

/** One transaction, in which no other change of people happens. */
function change<T>(
  { people, clock, actor }: InvitationDeps,
  work: (query: Query, by: ReturnType<typeof changedBy>) => Promise<T>,
): Promise<T> {
  return people.transaction(async (query) => {
    await lockPeople(query);
    return work(query, changedBy(actor, clock.now()));
  });
}

async function invite(
  deps: InvitationDeps,
  email: string,
  name: string,
  memberships: readonly Membership[],
): Promise<NewInvitation | null> {
  const invited = { email: checkedEmail(email), name: checkedName(name), memberships };
  const { link } = await change(deps, (query, by) => invitePerson(query, invited, by));
  return link;
}

async function inviteFirst(
  deps: InvitationDeps,
  projectIds: readonly string[],
): Promise<NewInvitation | null> {
  const isAllowed = await deps.allowsFirst();
  if (!isAllowed || projectIds.length === 0) return null;
  const memberships = projectIds.map((projectId) => ({ projectId, role: 'admin' as const }));
  return change(deps, async (query, by) =>
    (await hasAdministrator(query)) ? null : insertFirstLink(query, memberships, by),
  );
}

function setRole(
  deps: InvitationDeps,
  email: string,
  projectId: string,
  role: Membership['role'] | null,
): Promise<void> {
  return change(deps, async (query, by) => {
    const { personId } = await findPerson(query, email);
    if (role !== null) return giveRole(query, personId, { projectId, role }, by);
    if (!(await removeFromProject(query, personId, projectId, by)))
      throw new AppError('person.no_role', 'not_found', `${email} has no role in the project`);
  });
}

/** The person of an email. Throws `person.not_found`. */
export async function findPerson(query: Query, email: string): Promise<Person> {
  const person = await findPersonByEmail(query, checkedEmail(email));
  if (!person)
    throw new AppError(
      'person.not_found',
      'not_found',
      `No person with this email: ${JSON.stringify(email)}`,
    );
  return person;
}

/**
 * The link of the first administrator is valid only for as long as the installation may have it, any other for as long as its author
 * administers its projects.
 */
async function find(deps: InvitationDeps, secret: string): Promise<InvitationRow | null> {
  const hash = invitationHash(secret);
  const found = hash && (await findInvitation(deps.people.query, hash, deps.clock.now()));
  if (found?.email === null && !(await deps.allowsFirst())) return null;
  return found && (await hasValidAuthor(deps.people.query, found)) ? found : null;
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
    await lockPeople(query);
    const invitation = await spendInvitation(query, invitationHash(secret)!, at);
    if (!invitation) throw invitationNotFound();
    if (invitation.person_id !== null) return choosePassword(query, invitation, passwordHash, at);
    const email = invitation.email ?? checkedEmail(entered.email);
    const personId = newId(at.getTime());
    const isNew = await insertPerson(query, { personId, name: shownName, email, passwordHash, at });
    const isFirst = invitation.email === null;
    if (isFirst && (!isNew || (await hasAdministrator(query)))) throw invitationNotFound();
    // The person who entered with the email before may not be the one who has this link.
    if (!isNew) throw signInRequired();
    await enterProjects(query, personId, invitation, at);
    return { email };
  });
}

async function acceptAs(deps: InvitationDeps, secret: string, personId: string): Promise<boolean> {
  const hash = invitationHash(secret);
  const at = deps.clock.now();
  return deps.people.transaction(async (query) => {
    await lockPeople(query);
    const found = hash && (await findInvitation(query, hash, at));
    const person = found?.email ? await findPersonByEmail(query, found.email) : null;
    if (!found || found.person_id !== null || person?.personId !== personId) return false;
    const spent = await spendInvitation(query, hash, at);
    if (!spent) throw invitationNotFound();
    await enterProjects(query, personId, spent, at);
    return true;
  });
}

/** Stores the password that a person has chosen by a link. It replaces all other ways to sign in. */
async function choosePassword(
  query: Query,
  { person_id, email, created_by }: InvitationRow,
  passwordHash: string,
  at: Date,
): Promise<{ email: string }> {
  const [, creator = null] = /^person:(.+)$/.exec(created_by) ?? [];
  // The person may have received a role in a project since then that the creator of the link does not administer.
  if (creator !== null && !(await administersAllProjects(query, creator, person_id!)))
    throw invitationNotFound();
  await updatePassword(query, person_id!, passwordHash, at);
  await deleteFactors(query, person_id!, at);
  await removeRolesWithoutIdentity(query, person_id!, at);
  await deleteOtherSessions(query, person_id!, null);
  return { email: email! };
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
