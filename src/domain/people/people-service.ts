import type { Clock } from '@vouchgraph/platform/clock';
import { AppError, forbidden, unauthenticated } from '@vouchgraph/platform/errors';
import type { PeopleDatabase } from '../../storage/people-database.ts';
import type { AccessService, Viewer } from '../projects/access-service.ts';
import { removeRolesWithoutIdentity } from './mapped-role-store.ts';
import { findDisabled, lockPeople } from './people-store.ts';
import { attemptKey } from './person.ts';
import {
  countAttempt,
  deleteExpired,
  deleteIdleSession,
  deleteOtherSessions,
  deletePersonSession,
  deleteSessionOfToken,
  findPersonOfSession,
  forgetAttempts,
  isSessionSince,
  listPersonSessions,
  type PersonOfSession,
  type SessionRow,
  spendCode,
} from './person-session-store.ts';
import { deleteIdentity, hasPassword, listIdentities } from './provider-store.ts';
import type { SignIn } from './sign-in-adapter.ts';
import { FRESH_SECONDS } from './sign-in-options-adapter.ts';

/** A session that is not used for this long ends. */
export const IDLE_MS = 30 * 60_000;
/** Sign-ins with one email, whether a person has it or not. */
const MAX_ATTEMPTS_OF_EMAIL = 20;
const ATTEMPT_WINDOW_MS = 15 * 60_000;

export type PeopleDeps = {
  people: PeopleDatabase;
  signIn: Pick<SignIn, 'tokenOf'>;
  findProject: AccessService['findProjectById'];
  clock: Clock;
};

export type PeopleService = ReturnType<typeof createPeopleService>;

/** People who are signed in: their sessions, and the viewers that their requests have. */
export function createPeopleService(deps: PeopleDeps) {
  const { people, signIn } = deps;
  return {
    /** Token of the session in a `cookie` header; null without a session or with a forged cookie. */
    tokenOf: (cookie: string): string | null => signIn.tokenOf(cookie),
    /**
     * The viewer of a request with a session cookie, in a project of the person: the given one, or the oldest. Throws
     * `auth.unauthenticated` for a session that is unknown, forged or ended, and `auth.forbidden` when the person has no role
     * in the project, which may not exist.
     */
    viewerOfCookie: (cookie: string, projectId: string | null) => viewerOfCookie(deps, cookie, projectId),
    /** Ends the session with this token if it was not used for too long. */
    endIdle: (token: string) => deleteIdleSession(people.query, token, timesOf(deps)),
    /** Ends the session with this token. */
    endToken: (token: string) => deleteSessionOfToken(people.query, token),
    sessionsOf: (token: string) => sessionsOf(deps, token),
    endSession: async (token: string, id: string) =>
      deletePersonSession(people.query, (await personOf(deps, token)).person_id, id),
    endOtherSessions: async (token: string) =>
      deleteOtherSessions(people.query, (await personOf(deps, token)).person_id, token),
    /** The person of a session, by id. Throws `auth.unauthenticated` for one that has ended. */
    personIdOf: async (token: string): Promise<string> => (await personOf(deps, token)).person_id,
    /** Throws `session.not_fresh` when the sign-in is longer ago than changes of the ways to sign in allow. */
    checkFresh: async (token: string): Promise<void> => {
      const since = new Date(deps.clock.now().getTime() - FRESH_SECONDS * 1000);
      if (!(await isSessionSince(people.query, token, since)))
        throw new AppError('session.not_fresh', 'forbidden', 'Sign in again before this change');
    },
    /** Ways in which the person of the session can sign in. */
    identitiesOf: (token: string) => identitiesOf(deps, token),
    /** Removes an identity; false when the person does not have it, or has no other way to sign in. */
    removeIdentity: async (token: string, id: string) => {
      const { person_id } = await personOf(deps, token);
      return people.transaction(async (query) => {
        await lockPeople(query);
        if (!(await deleteIdentity(query, person_id, id))) return false;
        await removeRolesWithoutIdentity(query, person_id, deps.clock.now());
        return true;
      });
    },
    /** Counts an attempt to sign in with an email. Returns the seconds to wait; null when it may be tried. */
    countSignIn: (email: string) => countSignIn(deps, email),
    forgetSignIns: (email: string) => forgetAttempts(people.query, attemptKey(email)),
  };
}

/** Whether a person may have a new session: not disabled, and with a code that was not used before. */
export function sessionCheck({ people, clock }: Pick<PeopleDeps, 'people' | 'clock'>) {
  return async (personId: string, code: string | null): Promise<boolean> => {
    if (await findDisabled(people.query, personId)) return false;
    return code === null || (await spendCode(people.query, personId, code, clock.now()));
  };
}

/** Deletes ended sessions, expired values of sign-ins, old invitations and attempts. */
export function purgePeople(query: PeopleDatabase['query'], { now }: { now: Date }): Promise<void> {
  return deleteExpired(query, { now, idleSince: new Date(now.getTime() - IDLE_MS) });
}

function timesOf({ clock }: Pick<PeopleDeps, 'clock'>) {
  const now = clock.now();
  return { now, idleSince: new Date(now.getTime() - IDLE_MS) };
}

async function personOf(deps: PeopleDeps, token: string): Promise<PersonOfSession> {
  const person = await findPersonOfSession(deps.people.query, token, timesOf(deps));
  if (!person) throw unauthenticated();
  return person;
}

async function viewerOfCookie(deps: PeopleDeps, cookie: string, projectId: string | null): Promise<Viewer> {
  const token = deps.signIn.tokenOf(cookie);
  if (token === null) throw unauthenticated();
  const person = await personOf(deps, token);
  const { memberships } = person;
  const wanted = projectId?.toLowerCase() ?? memberships[0]?.projectId;
  const role = memberships.find((each) => each.projectId === wanted)?.role;
  const project = role === undefined ? null : await deps.findProject(wanted!);
  if (role === undefined || !project)
    throw forbidden(
      memberships.length === 0 ? 'You have no role in a project yet' : 'You have no role in this project',
    );
  return {
    project,
    kind: 'person',
    role: null,
    personRole: role,
    personId: person.person_id,
    person: {
      name: person.name,
      email: person.email,
      twoFactorEnabled: person.two_factor_enabled,
      memberships,
    },
    actor: `person:${person.person_id}`,
    limitKey: `person:${person.person_id}`,
  };
}

/** A session as its person sees it. */
export type OwnSession = {
  id: string;
  method: string;
  address: string | null;
  userAgent: string | null;
  createdAt: Date;
  lastUsedAt: Date;
  expiresAt: Date;
  /** Whether it is the session of this request. */
  current: boolean;
};

async function sessionsOf(deps: PeopleDeps, token: string): Promise<OwnSession[]> {
  const { person_id } = await personOf(deps, token);
  const rows = await listPersonSessions(deps.people.query, person_id, token, timesOf(deps));
  return rows.map((row: SessionRow & { current: boolean }) => ({
    id: row.id,
    method: row.method,
    address: row.ip_address,
    userAgent: row.user_agent,
    createdAt: row.created_at,
    lastUsedAt: row.last_used_at,
    expiresAt: row.expires_at,
    current: row.current,
  }));
}

/** An identity of a person at a provider, as the person sees it. */
export type OwnIdentity = { id: string; provider: string; name: string; joinedAt: Date };

async function identitiesOf(
  deps: PeopleDeps,
  token: string,
): Promise<{ hasPassword: boolean; identities: OwnIdentity[] }> {
  const { person_id } = await personOf(deps, token);
  const { query } = deps.people;
  const [rows, has] = await Promise.all([listIdentities(query, person_id), hasPassword(query, person_id)]);
  const identities = rows.map((row) => ({
    id: row.id,
    provider: row.provider_id,
    name: row.name,
    joinedAt: row.created_at,
  }));
  return { hasPassword: has, identities };
}

async function countSignIn({ people, clock }: PeopleDeps, email: string): Promise<number | null> {
  const now = clock.now();
  const { count, beganAt } = await countAttempt(people.query, attemptKey(email), now, ATTEMPT_WINDOW_MS);
  if (count <= MAX_ATTEMPTS_OF_EMAIL) return null;
  return Math.max(1, Math.ceil((beganAt.getTime() + ATTEMPT_WINDOW_MS - now.getTime()) / 1000));
}
