import { scopesText, type TokenScope } from '@vouchgraph/events';
import { type AppError, forbidden } from '@vouchgraph/platform/errors';
import type { Viewer } from './access-service.ts';
import { type Action, accessOf, type TokenAccess } from './actions.ts';
import { includesRole } from './api-key.ts';
import { includesPersonRole, type PersonRole } from './person-role.ts';

/*
 * The one place where viewers are authorized. A file with the suffix -service executes requests of viewers: each of its
 * public functions that takes a Viewer begins with `assertMay`, whatever interface calls it. Functions that take a
 * Project instead of a Viewer are called by workers and by services that have authorized already; they do not authorize.
 * assert-may.test.ts checks this in the sources of all services.
 * Scopes of GraphQL only ask `refusalOf` earlier, for an error before arguments are read.
 */

/** Account or session of an action, to which a browser token can be limited; session ids in lower case. */
export type Target = {
  readonly accountId?: string | null | undefined;
  readonly sessionId?: string | null | undefined;
};

type Limits = Pick<Viewer, 'accountId' | 'sessionId'>;

/** Throws `auth.forbidden` unless the viewer may execute the action, on the target if one is given. */
export function assertMay(viewer: Viewer, action: Action, target: Target = {}): void {
  const refusal = refusalOf(viewer, action) ?? refusalOfTarget(viewer, action, target);
  if (refusal) throw refusal;
}

/** Why the viewer may not execute the action on any target; null when it may. */
export function refusalOf(viewer: Viewer, action: Action): AppError | null {
  const { role, people, tokens, collector, secret, refusal } = accessOf(action);
  if (viewer.kind === 'person') return refusalOfPerson(viewer, people);
  if (viewer.kind === 'browser_token' && tokens) return refusalOfToken(viewer, tokens);
  if (viewer.kind === 'collector' && collector) return null;
  if (viewer.kind === 'verification_secret' && secret) return null;
  if (viewer.kind === 'key' && role !== null && viewer.role !== null && includesRole(viewer.role, role))
    return null;
  if (role === null) return forbidden(refusal ?? 'This key does not allow this operation');
  return forbidden(refusal ?? `This operation requires a key with the role ${role}`);
}

function refusalOfPerson({ personRole }: Viewer, wanted: PersonRole | null): AppError | null {
  if (wanted === null) return forbidden('No person may execute this operation');
  if (personRole !== undefined && includesPersonRole(personRole, wanted)) return null;
  return forbidden(`This operation requires the role ${wanted} in the project`);
}

function refusalOfToken(viewer: Viewer, { scopes, also, reach }: TokenAccess): AppError | null {
  if (!hasScope(viewer, scopes)) return scopeMissing(scopes);
  if (also && !hasScope(viewer, also)) return scopeMissing(also);
  return reach === 'project' && isLimited(viewer) ? limitedTo(limitOf(viewer)) : null;
}

function refusalOfTarget(viewer: Viewer, action: Action, target: Target): AppError | null {
  if (accessOf(action).tokens?.reach !== 'own' || isWithin(viewer, target)) return null;
  return limitedTo(limitOf(viewer, target));
}

/** Whether a browser token has one of the scopes; true for all other viewers. */
export function hasScope(
  { kind, scopes }: Pick<Viewer, 'kind' | 'scopes'>,
  of: readonly TokenScope[],
): boolean {
  return kind !== 'browser_token' || of.some((scope) => scopes?.includes(scope));
}

/** `auth.forbidden` that names the scopes of which a token needs one. */
export function scopeMissing(scopes: readonly TokenScope[], what = 'This operation'): AppError {
  return forbidden(`${what} requires a browser token with ${scopesText(scopes)}`);
}

/** `auth.forbidden` of what no browser token reads. */
export function keyOnly(what: string): AppError {
  return forbidden(`${what} requires an API key: no scope of browser tokens includes it`);
}

/** The limit that a target violates. */
function limitOf({ sessionId }: Limits, target: Target = {}): string {
  return sessionId !== undefined && sessionId !== target.sessionId ? 'session' : 'account';
}

function limitedTo(what: string): AppError {
  return forbidden(`This token is limited to one ${what}`);
}

/** Whether a viewer is limited to an account or a session. */
export function isLimited({ accountId, sessionId }: Limits): boolean {
  return accountId !== undefined || sessionId !== undefined;
}

/** Whether a target is within the limit of a viewer; true for viewers without a limit. */
export function isWithin({ accountId, sessionId }: Limits, target: Target): boolean {
  return (
    (accountId === undefined || accountId === target.accountId) &&
    (sessionId === undefined || sessionId === target.sessionId)
  );
}
