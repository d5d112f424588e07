import type { ProjectCipher } from '../../platform/crypto.ts';

/**
 * What a browser token allows: reading, until a time, of one account or session where one is named. It ends with the key
 * that made it.
 */
export type BrowserTokenClaims = { keyId: string; accountId?: string; sessionId?: string; expiresAt: Date };

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

/**
 * The claims of a token; null when the signature is not ours, when it has expired, and when it names no key, as tokens of
 * older versions do.
 */
export function readBrowserToken(cipher: ProjectCipher, token: string, now: Date): BrowserTokenClaims | null {
  const match = TOKEN.exec(token);
  if (!match || !cipher.verify(PURPOSE, match[6]!, match[7]!)) return null;
  const { k, a, s, e } = JSON.parse(Buffer.from(match[6]!, 'base64url').toString('utf8'));
  const expiresAt = new Date(e);
  if (typeof k !== 'string' || expiresAt <= now) return null;
  return { keyId: k, accountId: a, sessionId: s, expiresAt };
}
