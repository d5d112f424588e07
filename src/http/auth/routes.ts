import type { IncomingMessage } from 'node:http';
import { addressKey, type FailedAttempts } from '@vouchgraph/pacing';
import { AppError, forbidden, unauthenticated } from '@vouchgraph/platform/errors';
import { HttpError, headerOf, jsonAnswer, sendAnswer } from '@vouchgraph/platform/http';
import { isUuid } from '@vouchgraph/platform/ids';
import { invitationHash, invitationNotFound, signInRequired } from '../../domain/people/invitation.ts';
import type { InvitationService } from '../../domain/people/invitation-service.ts';
import type { PeopleService } from '../../domain/people/people-service.ts';
import type { ProviderSignIn } from '../../domain/people/provider-sign-in-service.ts';
import { libraryRequest, type SignIn } from '../../domain/people/sign-in-adapter.ts';
import { ADDRESS_HEADER } from '../../domain/people/sign-in-options-adapter.ts';
import type { AddedState } from '../../domain/people/sign-in-providers-adapter.ts';
import type { AccessService } from '../../domain/projects/access-service.ts';
import type { Exchange } from '../exchange.ts';
import { readJsonBody } from '../json-body.ts';
import { presentAuthError, sendLibraryAnswer } from './answers.ts';
import { type ConsoleOrigins, isFromConsole } from './console-origin.ts';
import { MOUNTED, type Mounted, mountedBody, mountedName } from './mounted.ts';

export type AuthDeps = {
  signIn: SignIn;
  people: PeopleService;
  invitations: InvitationService;
  providers: Pick<ProviderSignIn, 'names'>;
  findProject: AccessService['findProjectById'];
  failedAttempts: FailedAttempts;
  origins: ConsoleOrigins;
};

export type AuthRoutes = {
  /** Answers a request below /auth. */
  answer(exchange: Exchange): Promise<void>;
};

export const AUTH_PREFIX = '/auth/';
const MAX_AGENT_LENGTH = 512;
const BODY = { types: /^application\/json\s*(;|$)/i, maxBytes: 64 * 1024 };

type Call = { exchange: Exchange; deps: AuthDeps; body: Record<string, unknown> };
type Own = (call: Call) => Promise<void>;

/** Requests that the library has no counterpart for, or none without the tokens of sessions. */
const OWN: Readonly<Record<string, Own>> = {
  'GET /methods': async ({ exchange: { response }, deps }) => {
    const providers = await deps.providers.names();
    sendAnswer(response, jsonAnswer(200, { passwords: true, passkeys: true, providers }));
  },
  'POST /invitation': answerInvitation,
  'POST /accept-invitation-at-provider': acceptAtProvider,
  'GET /identities': async ({ exchange, deps: { people } }) =>
    sendAnswer(
      exchange.response,
      jsonAnswer(200, await people.identitiesOf(tokenOf(people, exchange.request))),
    ),
  'POST /remove-identity': removeIdentity,
  'POST /accept-invitation': acceptInvitation,
  'GET /sessions': async ({ exchange, deps: { people } }) =>
    sendAnswer(
      exchange.response,
      jsonAnswer(200, { sessions: await people.sessionsOf(tokenOf(people, exchange.request)) }),
    ),
  'POST /end-session': endSession,
  'POST /end-other-sessions': async ({ exchange, deps: { people } }) =>
    sendAnswer(
      exchange.response,
      jsonAnswer(200, { ended: await people.endOtherSessions(tokenOf(people, exchange.request)) }),
    ),
};

/** Sign-in of people. Pages of the console alone may call it. */
export function createAuthRoutes(deps: AuthDeps): AuthRoutes {
  return {
    async answer(exchange) {
      exchange.operation = 'auth';
      try {
        await answer(deps, exchange);
      } catch (error) {
        if (!(error instanceof AppError) || exchange.response.headersSent) throw error;
        sendAnswer(exchange.response, presentAuthError(error));
      }
    },
  };
}

async function answer(deps: AuthDeps, exchange: Exchange): Promise<void> {
  const { request, path } = exchange;
  const name = mountedName(request.method, path.slice(AUTH_PREFIX.length - 1));
  const own = OWN[name];
  const mounted = MOUNTED[name];
  if (!own && !mounted) throw new HttpError(404, 'Not Found');
  const { origins } = deps;
  if (!origins.isUsable)
    throw forbidden('Signing in requires HTTPS: set PUBLIC_URL to the https address of the gateway');
  const isRead = request.method === 'GET';
  const isOpen = mounted?.isFromElsewhere || (isRead && headerOf(request, 'cookie') === '');
  if (!isOpen && !isFromConsole(origins, request))
    throw forbidden('Requests to sign in must come from a page of the console');
  const body = isRead ? {} : await readBody(request);
  const call = { exchange, deps, body };
  if (own) return own(call);
  await answerByLibrary(call, mounted!);
}

async function readBody(request: IncomingMessage): Promise<Record<string, unknown>> {
  const { value } = await readJsonBody(request, BODY);
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

/** Token of the session of a request. Throws `auth.unauthenticated` without one. */
function tokenOf(people: PeopleService, request: IncomingMessage): string {
  const token = people.tokenOf(headerOf(request, 'cookie'));
  if (token === null) throw unauthenticated();
  return token;
}

async function answerByLibrary(call: Call, mounted: Mounted): Promise<void> {
  const { exchange, deps, body } = call;
  const { request, query, ip } = exchange;
  const { people } = deps;
  const path = exchange.path.slice(AUTH_PREFIX.length - 1);
  const cookie = headerOf(request, 'cookie');
  const before = people.tokenOf(cookie);
  if (before !== null) await people.endIdle(before);
  if (mounted.needsFresh) await people.checkFresh(tokenOf(people, request));
  const email = path === '/sign-in/email' ? String(body.email ?? '') : null;
  if (email !== null) await limitSignIn(people, email);
  const kept = new URLSearchParams([...query].filter(([name]) => mounted.query?.includes(name)));
  const answered = await deps.signIn.handle(
    libraryRequest(deps.origins.origin, {
      method: request.method!,
      path,
      query: kept,
      headers: headersOf(request, deps.origins),
      address: ip,
      body: request.method === 'GET' ? undefined : bodyFor(mounted, body),
    }),
    { needsProviders: mounted.begins ?? mounted.isFromElsewhere ?? false },
  );
  const hasSucceeded = answered.ok || (answered.status === 302 && mounted.isFromElsewhere);
  if (hasSucceeded && mounted.signsIn) {
    if (email !== null) await people.forgetSignIns(email);
    // A session that existed before the sign-in ends: its cookie may be known to others.
    const isNew = answered.headers.getSetCookie().some((text) => text.includes('session_token='));
    if (before !== null && isNew) await people.endToken(before);
  }
  await sendLibraryAnswer(exchange.response, answered);
}

/** A sign-in that begins at a provider must end at the same one. */
function bodyFor(mounted: Mounted, sent: Record<string, unknown>, invitation?: string) {
  const body = mountedBody(mounted, sent);
  if (!mounted.begins) return body;
  const added: AddedState = { provider: String(body.provider ?? ''), ...(invitation && { invitation }) };
  return { ...body, additionalData: added };
}

/** The origin was checked: the library compares it with its own. */
function headersOf(request: IncomingMessage, { origin }: ConsoleOrigins): Record<string, string> {
  const cookie = headerOf(request, 'cookie');
  const agent = headerOf(request, 'user-agent').slice(0, MAX_AGENT_LENGTH);
  return { origin, 'user-agent': agent, ...(cookie === '' ? {} : { cookie }) };
}

async function limitSignIn(people: PeopleService, email: string): Promise<void> {
  const seconds = await people.countSignIn(email);
  if (seconds !== null)
    throw new HttpError(429, 'Too many attempts to sign in with this email', {
      'retry-after': String(seconds),
    });
}

/** The invitation of a secret. Failed look-ups count like those of keys. */
async function invitationOf({ exchange, deps }: Call, secret: string) {
  try {
    return await deps.failedAttempts.guard(addressKey(exchange.ip), secret, async () => {
      const found = await deps.invitations.find(secret);
      if (!found) throw unauthenticated();
      return found;
    });
  } catch (error) {
    throw error instanceof AppError && error.kind === 'unauthenticated' ? invitationNotFound() : error;
  }
}

async function answerInvitation(call: Call): Promise<void> {
  const { exchange, deps, body } = call;
  const invitation = await invitationOf(call, String(body.secret ?? ''));
  const projects = await Promise.all(
    invitation.memberships.map(async ({ projectId, role }) => ({
      name: (await deps.findProject(projectId))?.name ?? null,
      role,
    })),
  );
  const { email, name, expires_at: expiresAt, person_id } = invitation;
  const kind = person_id === null ? 'INVITATION' : 'RESET';
  const isKnown = await deps.invitations.isKnown(invitation);
  sendAnswer(exchange.response, jsonAnswer(200, { kind, email, name, isKnown, expiresAt, projects }));
}

/** Spends the link, then signs in with the new password. A person who is signed in receives the roles. */
async function acceptInvitation(call: Call): Promise<void> {
  const { exchange, deps, body } = call;
  const text = (name: string) => String(body[name] ?? '');
  const secret = text('secret');
  const entered = { email: text('email'), name: text('name'), password: text('password') };
  await invitationOf(call, secret);
  const { request, ip, response } = exchange;
  const before = deps.people.tokenOf(headerOf(request, 'cookie'));
  if (before !== null && (await isAcceptedBy(deps, secret, before)))
    return sendAnswer(response, jsonAnswer(200, {}));
  const { email } = await deps.invitations.accept(secret, entered);
  const headers = new Headers({ ...headersOf(request, deps.origins), [ADDRESS_HEADER]: ip });
  const answered = await deps.signIn.signInOnce(email, entered.password, headers);
  if (before !== null && answered.ok) await deps.people.endToken(before);
  await sendLibraryAnswer(response, answered);
}

/** Whether the invitation is for the person of the session, who then has its roles. */
async function isAcceptedBy(
  { people, invitations }: AuthDeps,
  secret: string,
  token: string,
): Promise<boolean> {
  const personId = await people.personIdOf(token).catch((error: unknown) => {
    if (error instanceof AppError && error.kind === 'unauthenticated') return null;
    throw error;
  });
  return personId !== null && (await invitations.acceptAs(secret, personId));
}

/** Enters with an identity of a provider in place of a password. The link is spent when the person returns from the provider. */
async function acceptAtProvider(call: Call): Promise<void> {
  const { exchange, deps, body } = call;
  const secret = String(body.secret ?? '');
  const invitation = await invitationOf(call, secret);
  if (invitation.email === null || invitation.person_id !== null)
    throw forbidden('This link is for a password: an identity is joined on the account page');
  if (await deps.invitations.isKnown(invitation)) throw signInRequired();
  const answered = await deps.signIn.handle(
    libraryRequest(deps.origins.origin, {
      method: 'POST',
      path: '/sign-in/social',
      query: new URLSearchParams(),
      headers: headersOf(exchange.request, deps.origins),
      address: exchange.ip,
      body: bodyFor(MOUNTED['POST /sign-in/social']!, body, invitationHash(secret)!.toString('base64url')),
    }),
    { needsProviders: true },
  );
  await sendLibraryAnswer(exchange.response, answered);
}

async function removeIdentity({ exchange, deps: { people }, body }: Call): Promise<void> {
  const token = tokenOf(people, exchange.request);
  await people.checkFresh(token);
  const id = String(body.id ?? '');
  if (!isUuid(id) || !(await people.removeIdentity(token, id)))
    throw new AppError(
      'identity.not_removable',
      'conflict',
      'The identity does not exist, or is your only way to sign in: add a passkey first',
    );
  sendAnswer(exchange.response, jsonAnswer(200, {}));
}

async function endSession({ exchange, deps: { people }, body }: Call): Promise<void> {
  const token = tokenOf(people, exchange.request);
  const id = String(body.id ?? '');
  if (!isUuid(id) || !(await people.endSession(token, id)))
    throw new AppError('session.not_found', 'not_found', 'The session does not exist or has ended');
  sendAnswer(exchange.response, jsonAnswer(200, {}));
}
