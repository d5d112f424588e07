import type { PeopleDatabase } from '../../storage/people-database.ts';
import type { PersonRole } from '../projects/person-role.ts';

type Query = PeopleDatabase['query'];

/** How a person signed in. */
export type SignInMethod = 'password' | 'password_and_totp' | 'backup_code' | 'passkey' | 'provider';

export type SessionRow = {
  id: string;
  ip_address: string | null;
  user_agent: string | null;
  method: string;
  created_at: Date;
  last_used_at: Date;
  expires_at: Date;
};

export type PersonOfSession = {
  person_id: string;
  name: string;
  email: string;
  two_factor_enabled: boolean;
  /** Roles by project, ordered by the id of the project. */
  memberships: { projectId: string; role: PersonRole }[];
};

/** Time of last use is stored at most this often. */
const TOUCH_SECONDS = 60;

const USE_SESSION = {
  name: 'person.use_session',
  text: `with used as (
           update sessions set last_used_at = $2::timestamptz
           where token = $1 and last_used_at < $2::timestamptz - interval '${TOUCH_SECONDS} seconds' and last_used_at > $3)
         select p.id as person_id, p.name, p.email, coalesce(p.two_factor_enabled, false) as two_factor_enabled,
           coalesce((select jsonb_agg(jsonb_build_object('projectId', m.project_id, 'role', m.role) order by m.project_id)
             from memberships m where m.person_id = p.id), '[]') as memberships
         from sessions s join people p on p.id = s.person_id
         where s.token = $1 and s.expires_at > $2 and s.last_used_at > $3 and p.disabled_at is null`,
};

/** The person of a session that has not ended, with all roles. One statement, which also notes the use. */
export async function findPersonOfSession(
  query: Query,
  token: string,
  { now, idleSince }: { now: Date; idleSince: Date },
): Promise<PersonOfSession | null> {
  return (await query<PersonOfSession>(USE_SESSION, [token, now, idleSince]))[0] ?? null;
}

const DELETE_IDLE = {
  name: 'person.delete_idle_session',
  text: 'delete from sessions where token = $1 and (last_used_at <= $2 or expires_at <= $3)',
};

/** Deletes a session that was not used for too long. */
export async function deleteIdleSession(
  query: Query,
  token: string,
  { now, idleSince }: { now: Date; idleSince: Date },
): Promise<void> {
  await query(DELETE_IDLE, [token, idleSince, now]);
}

const LIST_SESSIONS = {
  name: 'person.list_sessions',
  text: `select id, ip_address, user_agent, method, created_at, last_used_at, expires_at, token = $2 as current
         from sessions where person_id = $1 and expires_at > $3 and last_used_at > $4 order by last_used_at desc, id`,
};

/** Sessions of a person that have not ended, the last used first. */
export function listPersonSessions(
  query: Query,
  personId: string,
  token: string,
  { now, idleSince }: { now: Date; idleSince: Date },
): Promise<(SessionRow & { current: boolean })[]> {
  return query(LIST_SESSIONS, [personId, token, now, idleSince]);
}

const FIND_FRESH = {
  name: 'person.fresh_session',
  text: 'select 1 from sessions where token = $1 and created_at > $2',
};

/** Whether the sign-in of a session was after a time. */
export async function isSessionSince(query: Query, token: string, since: Date): Promise<boolean> {
  return (await query(FIND_FRESH, [token, since])).length > 0;
}

const DELETE_SESSION = {
  name: 'person.delete_session',
  text: 'delete from sessions where person_id = $1 and id = $2 returning id',
};
const DELETE_TOKEN = { name: 'person.delete_token', text: 'delete from sessions where token = $1' };
const DELETE_OTHERS = {
  name: 'person.delete_other_sessions',
  text: 'delete from sessions where person_id = $1 and token is distinct from $2 returning id',
};

/** Ends one session of a person; false when there is none. */
export async function deletePersonSession(query: Query, personId: string, id: string): Promise<boolean> {
  return (await query(DELETE_SESSION, [personId, id])).length > 0;
}

/** Ends the session with this token. */
export async function deleteSessionOfToken(query: Query, token: string): Promise<void> {
  await query(DELETE_TOKEN, [token]);
}

/** Ends all sessions of a person but one; without `token` all of them. Returns their number. */
export async function deleteOtherSessions(
  query: Query,
  personId: string,
  token: string | null,
): Promise<number> {
  return (await query(DELETE_OTHERS, [personId, token])).length;
}

const USE_CODE = {
  name: 'person.use_code',
  text: `with expired as (delete from used_codes where person_id = $1 and used_at < $3::timestamptz - interval '5 minutes')
         insert into used_codes (person_id, code, used_at) values ($1, $2, $3) on conflict do nothing returning code`,
};

/** Notes the use of a one-time code; false when the person used it before. */
export async function spendCode(query: Query, personId: string, code: string, at: Date): Promise<boolean> {
  return (await query(USE_CODE, [personId, code, at])).length > 0;
}

const COUNT_ATTEMPT = {
  name: 'person.count_attempt',
  text: `insert into attempts as a (id, key, count, last_request) values (gen_random_uuid(), $1, 1, $2::bigint)
         on conflict (key) do update set
           count = case when a.last_request < $2::bigint - $3::bigint then 1 else a.count + 1 end,
           last_request = case when a.last_request < $2::bigint - $3::bigint then $2::bigint else a.last_request end
         returning count, last_request`,
};

/** Counts an attempt under a key in a window that begins with its first one. Returns the count and the begin. */
export async function countAttempt(
  query: Query,
  key: string,
  now: Date,
  windowMs: number,
): Promise<{ count: number; beganAt: Date }> {
  const [row] = await query<{ count: number; last_request: number }>(COUNT_ATTEMPT, [
    key,
    now.getTime(),
    windowMs,
  ]);
  return { count: row!.count, beganAt: new Date(row!.last_request) };
}

const FORGET_ATTEMPTS = { name: 'person.forget_attempts', text: 'delete from attempts where key = $1' };

/** Forgets the attempts under a key. */
export async function forgetAttempts(query: Query, key: string): Promise<void> {
  await query(FORGET_ATTEMPTS, [key]);
}

const PURGE = {
  name: 'person.purge',
  text: `with s as (delete from sessions where expires_at < $1 or last_used_at < $2), v as (delete from verifications where expires_at < $1),
           i as (delete from invitations where expires_at < $1::timestamptz - interval '30 days'),
           c as (delete from used_codes where used_at < $1::timestamptz - interval '5 minutes')
         delete from attempts where last_request < $3`,
};
const MAX_WINDOW_MS = 3_600_000;

/** Deletes ended sessions, expired values and old attempts. */
export async function deleteExpired(
  query: Query,
  { now, idleSince }: { now: Date; idleSince: Date },
): Promise<void> {
  await query(PURGE, [now, idleSince, now.getTime() - MAX_WINDOW_MS]);
}
