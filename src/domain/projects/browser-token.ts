import { TOKEN_SCOPES, type TokenScope } from '@vouchgraph/events';
import type { ProjectCipher } from '@vouchgraph/platform/crypto';

/** Limit of a browser token: one account, one session, or the project. */
export type TokenBinding =
  | { readonly accountId: string; readonly sessionId?: undefined }
  | { readonly sessionId: string; readonly accountId?: undefined }
  | { readonly accountId?: undefined; readonly sessionId?: undefined };

/** Scopes and expiry of a browser token. It expires with the key that created it. */
export type BrowserTokenClaims = TokenBinding & {
  keyId: string;
  scopes: readonly TokenScope[];
  expiresAt: Date;
};

/*
 * vgb_<project, 32 hex>.<claims, base64url JSON>.<signature>
 *
 * Signed with the project's key and not stored: it expires within an hour, and with the key that it names.
 */
const TOKEN =
  /^vgb_([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})\.([\w-]+)\.([\w-]{43})$/;
const PURPOSE = 'browser token';

export function signBrowserToken(
  cipher: ProjectCipher,
  projectId: string,
  claims: BrowserTokenClaims,
): string {
  const body = Buffer.from(
    JSON.stringify({
      k: claims.keyId,
      c: claims.scopes,
      a: claims.accountId,
      s: claims.sessionId,
      e: claims.expiresAt.getTime(),
    }),
  ).toString('base64url');
  return `vgb_${projectId.replaceAll('-', '')}.${body}.${cipher.sign(PURPOSE, body)}`;
}

/** The project that a token names (not yet verified), or null when the text is not a token. */
export function projectOfBrowserToken(token: string): string | null {
  const match = TOKEN.exec(token);
  return match ? match.slice(1, 6).join('-') : null;
}

/** The claims of a token; null when the signature is not ours, when it has expired, and when a claim is malformed. */
export function readBrowserToken(cipher: ProjectCipher, token: string, now: Date): BrowserTokenClaims | null {
  const claims = readClaims(cipher, token);
  if (!claims) return null;
  const { k, a, s, c, e } = claims;
  const expiresAt = new Date(e);
  if (typeof k !== 'string' || !areScopes(c) || expiresAt <= now) return null;
  return { keyId: k, scopes: c, expiresAt, ...bindingOf(a, s) };
}

/** Whether a token was signed by us and its time is over. */
export function isExpiredToken(cipher: ProjectCipher, token: string, now: Date): boolean {
  const claims = readClaims(cipher, token);
  return claims !== null && new Date(claims.e) <= now;
}

type Claims = { k?: unknown; a?: string; s?: string; c?: unknown; e: number };

function readClaims(cipher: ProjectCipher, token: string): Claims | null {
  const match = TOKEN.exec(token);
  if (!match || !cipher.verify(PURPOSE, match[6]!, match[7]!)) return null;
  return JSON.parse(Buffer.from(match[6]!, 'base64url').toString('utf8')) as Claims;
}

function bindingOf(accountId: string | undefined, sessionId: string | undefined): TokenBinding {
  if (accountId !== undefined) return { accountId };
  return sessionId === undefined ? {} : { sessionId };
}

function areScopes(value: unknown): value is TokenScope[] {
  return Array.isArray(value) && value.length > 0 && value.every((one) => Object.hasOwn(TOKEN_SCOPES, one));
}
