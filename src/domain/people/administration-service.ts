import type { Clock } from '@vouchgraph/platform/clock';
import { forbidden } from '@vouchgraph/platform/errors';
import { isUuid, NIL_UUID } from '@vouchgraph/platform/ids';
import type { PeopleDatabase } from '../../storage/people-database.ts';
import { authorOf, callerOf } from '../audit/audit-entry.ts';
import type { AccessService, Viewer } from '../projects/access-service.ts';
import { assertMay } from '../projects/assert-may.ts';
import {
  type InvitePersonInput,
  inOtherProjects,
  lastAdministrator,
  notOneself,
  type PendingInvitation,
  type ProjectPerson,
  pendingInvitationNotFound,
  personNotFound,
  type SetPersonRoleInput,
} from './administration.ts';
import {
  administersAllProjects,
  deletePending,
  findProjectPerson,
  hasLeftElsewhere,
  hasOtherAdministrator,
  isAdministrator,
  listPending,
  listProjectPeople,
  type SessionTimes,
} from './administration-store.ts';
import { type ChangedBy, changedBy, invitationTarget, recordChange } from './people-audit-store.ts';
import {
  changeDisabled,
  giveRole,
  invitePerson,
  removeFromProject,
  resetPerson,
} from './people-change-store.ts';
import { IDLE_MS } from './people-service.ts';
import { findPersonByEmail, lockPeople } from './people-store.ts';
import { checkedEmail, checkedName } from './person.ts';
import { deletePerson } from './person-data-store.ts';

type Query = PeopleDatabase['query'];

export type AdministrationDeps = {
  people: PeopleDatabase;
  findProject: AccessService['findProjectById'];
  /** The link with the secret of an invitation. */
  linkOf: (secret: string) => string;
  /** Erases the personal values of the entries of a person in the audit logs of all projects. */
  eraseAuditedValues: (personId: string) => Promise<void>;
  clock: Clock;
};

/** A link, which is shown once. */
export type ShownLink = { readonly link: string; readonly expiresAt: Date };

export type AdministrationService = ReturnType<typeof createAdministrationService>;

/**
 * People of a project, for its administrators. A change is recorded in the audit log of each project that it affects, in its
 * transaction. What acts in the whole installation requires an administrator of all projects of the person.
 */
export function createAdministrationService(deps: AdministrationDeps) {
  return {
    /** People with a role in the project, by email. */
    list: (viewer: Viewer) => list(deps, viewer),
    /** Invitations that can be spent, the newest first. */
    invitations: (viewer: Viewer) => invitations(deps, viewer),
    /** Invites an email by a link. A person with a role in the project receives the new one at once, and no link. */
    invite: (viewer: Viewer, requestId: string, input: InvitePersonInput) =>
      invite(deps, viewer, requestId, input),
    withdraw: (viewer: Viewer, requestId: string, invitationId: string) =>
      withdraw(deps, viewer, requestId, invitationId),
    setRole: (viewer: Viewer, requestId: string, input: SetPersonRoleInput) =>
      setRole(deps, viewer, requestId, input),
    /** Removes a person from the project. Returns the person as it was. */
    remove: (viewer: Viewer, requestId: string, personId: string) =>
      remove(deps, viewer, requestId, personId),
    /** Ends the sessions of a person and makes a link to choose another password. */
    reset: (viewer: Viewer, requestId: string, personId: string) => reset(deps, viewer, requestId, personId),
    setDisabled: (viewer: Viewer, requestId: string, personId: string, isDisabled: boolean) =>
      setPersonDisabled(deps, viewer, requestId, personId, isDisabled),
    /** Erases a person in all projects. */
    erase: (viewer: Viewer, requestId: string, personId: string) => erase(deps, viewer, requestId, personId),
  };
}

function list({ people, clock }: AdministrationDeps, viewer: Viewer): Promise<ProjectPerson[]> {
  assertMay(viewer, 'person.read');
  return listProjectPeople(people.query, viewer.project.projectId, timesOf(clock.now()));
}

function invitations({ people, clock }: AdministrationDeps, viewer: Viewer): Promise<PendingInvitation[]> {
  assertMay(viewer, 'person.read');
  return listPending(people.query, viewer.project.projectId, clock.now());
}

/** Person or invitation, of which one is null. */
export type Invited = {
  readonly person: ProjectPerson | null;
  readonly invitation: PendingInvitation | null;
  readonly link: ShownLink | null;
};

function invite(
  deps: AdministrationDeps,
  viewer: Viewer,
  requestId: string,
  input: InvitePersonInput,
): Promise<Invited> {
  assertMay(viewer, 'person.manage');
  const { projectId } = viewer.project;
  const { role } = input;
  const email = checkedEmail(input.email);
  const name = checkedName(input.name);
  return change(deps, viewer, requestId, async (query, by) => {
    const present = await findPersonByEmail(query, email);
    if (present && role !== 'admin') await checkNotLast(query, projectId, present.personId);
    const { known, link } = await invitePerson(
      query,
      { email, name, memberships: [{ projectId, role }] },
      by,
    );
    if (link === null)
      return { person: await personIn(query, viewer, by.at, known!.personId), invitation: null, link };
    const { invitationId, secret, createdAt, expiresAt } = link;
    const invitation = { invitationId, email, name, role, createdBy: by.actor, createdAt, expiresAt };
    return { person: null, invitation, link: { link: deps.linkOf(secret), expiresAt } };
  });
}

function withdraw(
  deps: AdministrationDeps,
  viewer: Viewer,
  requestId: string,
  invitationId: string,
): Promise<PendingInvitation> {
  assertMay(viewer, 'person.manage');
  const { projectId } = viewer.project;
  return change(deps, viewer, requestId, async (query, by) => {
    const withdrawn = await deletePending(query, projectId, by.at, plainUuid(invitationId));
    if (!withdrawn) throw pendingInvitationNotFound();
    await recordChange(query, projectId, by, {
      action: 'person.withdraw_invitation',
      target: invitationTarget(withdrawn.invitationId),
      before: { role: withdrawn.role, expiresAt: withdrawn.expiresAt },
    });
    return withdrawn;
  });
}

function setRole(
  deps: AdministrationDeps,
  viewer: Viewer,
  requestId: string,
  { personId, role }: SetPersonRoleInput,
): Promise<ProjectPerson> {
  assertMay(viewer, 'person.manage');
  const { projectId } = viewer.project;
  return change(deps, viewer, requestId, async (query, by) => {
    const person = await personIn(query, viewer, by.at, personId);
    if (role !== 'admin') await checkNotLast(query, projectId, person.personId);
    await giveRole(query, person.personId, { projectId, role }, by);
    return personIn(query, viewer, by.at, personId);
  });
}

function remove(
  deps: AdministrationDeps,
  viewer: Viewer,
  requestId: string,
  personId: string,
): Promise<ProjectPerson> {
  assertMay(viewer, 'person.manage');
  const { projectId } = viewer.project;
  return change(deps, viewer, requestId, async (query, by) => {
    const person = await personIn(query, viewer, by.at, personId);
    await checkNotLast(query, projectId, person.personId);
    await removeFromProject(query, person.personId, projectId, by);
    return person;
  });
}

function reset(
  deps: AdministrationDeps,
  viewer: Viewer,
  requestId: string,
  personId: string,
): Promise<{ person: ProjectPerson; link: ShownLink }> {
  assertMay(viewer, 'person.manage');
  return change(deps, viewer, requestId, async (query, by) => {
    const { personId: found, email, name } = await administered(query, viewer, by.at, personId);
    // The own password changes with the current one only.
    if (found === viewer.personId) throw notOneself();
    const { secret, expiresAt } = await resetPerson(query, { personId: found, email, name }, by);
    const person = await personIn(query, viewer, by.at, found);
    return { person, link: { link: deps.linkOf(secret), expiresAt } };
  });
}

function setPersonDisabled(
  deps: AdministrationDeps,
  viewer: Viewer,
  requestId: string,
  personId: string,
  isDisabled: boolean,
): Promise<ProjectPerson> {
  assertMay(viewer, 'person.manage');
  return change(deps, viewer, requestId, async (query, by) => {
    const person = await administered(query, viewer, by.at, personId);
    if (person.personId === viewer.personId) throw notOneself();
    await changeDisabled(query, person, isDisabled, by);
    return personIn(query, viewer, by.at, person.personId);
  });
}

async function erase(
  deps: AdministrationDeps,
  viewer: Viewer,
  requestId: string,
  personId: string,
): Promise<ProjectPerson> {
  assertMay(viewer, 'person.manage');
  const find = async (query: Query, { at }: ChangedBy) => {
    const person = await administered(query, viewer, at, personId);
    if (person.personId === viewer.personId) throw notOneself();
    // What the person did in projects of others is theirs: the command of the installation erases it.
    if (await hasLeftElsewhere(query, viewer.personId!, person)) throw inOtherProjects();
    return person;
  };
  // Before the person too: after a crash in between the erasure can be repeated.
  const { personId: found } = await change(deps, viewer, requestId, find);
  await deps.eraseAuditedValues(found);
  const erased = await change(deps, viewer, requestId, async (query, by) => {
    const person = await find(query, by);
    await deletePerson(query, person, by);
    return person;
  });
  await deps.eraseAuditedValues(found);
  return erased;
}

/** One transaction, in which no other change of people happens, and in which the viewer still administers the project. */
function change<T>(
  deps: AdministrationDeps,
  viewer: Viewer,
  requestId: string,
  work: (query: Query, by: ChangedBy) => Promise<T>,
): Promise<T> {
  return deps.people.transaction(async (query) => {
    await lockPeople(query);
    const { personId, project } = viewer;
    if (personId === undefined || !(await isAdministrator(query, personId, project.projectId)))
      throw forbidden('This operation requires the role admin in the project');
    return work(query, byOf(deps, viewer, requestId));
  });
}

/** The viewer as the author of entries of its projects, each of which has its own key. */
function byOf({ clock, findProject }: AdministrationDeps, viewer: Viewer, requestId: string): ChangedBy {
  const at = clock.now();
  return {
    at,
    actor: viewer.actor,
    authorIn: async (projectId) => {
      const project = await findProject(projectId);
      if (!project) return changedBy(viewer.actor, at).authorIn(projectId);
      const personRole = viewer.person?.memberships.find((each) => each.projectId === projectId)?.role;
      return authorOf({ ...callerOf(viewer), project, personRole }, requestId);
    },
  };
}

const timesOf = (now: Date): SessionTimes => ({ now, idleSince: new Date(now.getTime() - IDLE_MS) });

/** An id in the form that is stored; one of no object for another text. */
const plainUuid = (id: string) => (isUuid(id) ? id.toLowerCase() : NIL_UUID);

/** A person with a role in the project of the viewer. Throws `person.not_found`. */
async function personIn(
  query: Query,
  { project: { projectId } }: Viewer,
  at: Date,
  personId: string,
): Promise<ProjectPerson> {
  const found = await findProjectPerson(query, projectId, timesOf(at), plainUuid(personId));
  if (!found) throw personNotFound();
  return found;
}

/** The same, if the viewer administers every project of the person. Throws `person.in_other_projects`, which names none. */
async function administered(
  query: Query,
  viewer: Viewer,
  at: Date,
  personId: string,
): Promise<ProjectPerson> {
  const person = await personIn(query, viewer, at, personId);
  if (!(await administersAllProjects(query, viewer.personId!, person.personId))) throw inOtherProjects();
  return person;
}

/** Throws `person.last_administrator` if no other person administers the project. */
async function checkNotLast(query: Query, projectId: string, personId: string): Promise<void> {
  if (!(await isAdministrator(query, personId, projectId))) return;
  if (!(await hasOtherAdministrator(query, projectId, personId))) throw lastAdministrator();
}
