import { scopesText, type TokenScope } from '@vouchgraph/events';
import { forbidden, invalidInput } from '@vouchgraph/platform/errors';
import { isUuid } from '@vouchgraph/platform/ids';
import { tooFewText } from '@vouchgraph/platform/wording';
import type { Viewer } from './access-service.ts';
import { assertMay } from './assert-may.ts';
import { signBrowserToken, type TokenBinding } from './browser-token.ts';

/** Scopes of account data: a token limited to a session does not receive the account of the session. */
const OF_ACCOUNT: readonly TokenScope[] = ['LINKS'];

export type NewBrowserToken = {
  readonly scopes: readonly TokenScope[];
  readonly accountId: string | null;
  readonly sessionId: string | null;
  /** Limits the token to nothing but the project; requires the role operator. */
  readonly isOfProject: boolean;
  readonly expiresAt: Date;
};

/** A token for a page, which expires with the key of the viewer. */
export function createBrowserToken(viewer: Viewer, input: NewBrowserToken): string {
  assertMay(viewer, 'browser_token.create');
  const { project, keyId } = viewer;
  // Of viewers with the role, only the command line has no key.
  if (keyId === undefined) throw forbidden('This operation requires a key');
  const scopes = scopesOf(input);
  const binding = bindingOf(input);
  if (input.isOfProject) assertMay(viewer, 'browser_token.create_for_project');
  const { expiresAt } = input;
  return signBrowserToken(project.cipher, project.projectId, { keyId, scopes, expiresAt, ...binding });
}

function scopesOf({ scopes, sessionId }: NewBrowserToken): readonly TokenScope[] {
  if (scopes.length === 0) throw invalidInput(`scopes: ${tooFewText(1)}`, ['scopes']);
  const refused = scopes.filter((scope) => OF_ACCOUNT.includes(scope));
  if (sessionId !== null && refused.length > 0)
    throw invalidInput(`scopes: ${scopesText(refused)} requires accountId`, ['scopes']);
  return [...new Set(scopes)];
}

function bindingOf({ accountId, sessionId, isOfProject }: NewBrowserToken): TokenBinding {
  const given = [accountId !== null, sessionId !== null, isOfProject].filter(Boolean).length;
  if (given !== 1)
    throw invalidInput('accountId: exactly one of accountId, sessionId and project: true is required', [
      'accountId',
    ]);
  if (accountId !== null) return { accountId };
  if (sessionId === null) return {};
  if (!isUuid(sessionId)) throw invalidInput('sessionId: must be a UUID', ['sessionId']);
  return { sessionId: sessionId.toLowerCase() };
}
