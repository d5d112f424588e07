import type { ProjectCipher } from '../../platform/crypto.ts';

/*
 * vgs_<project, 32 hex>_<signature over the session id>
 *
 * Whoever opened a session, and nobody else, may add to it. Nothing is stored: the signature binds the token to its
 * session, and the session's own state and time end it.
 */
const TOKEN = /^vgs_([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})_([\w-]{43})$/;
const PURPOSE = 'collector token';

export function collectorToken(cipher: ProjectCipher, projectId: string, sessionId: string): string {
  return `vgs_${projectId.replaceAll('-', '')}_${cipher.sign(PURPOSE, sessionId)}`;
}

/** The project that a collector token names (not yet verified), or null when the text is not a token. */
export function projectOfCollectorToken(token: string): string | null {
  const match = TOKEN.exec(token);
  return match ? match.slice(1, 6).join('-') : null;
}

export function isCollectorTokenOf(cipher: ProjectCipher, token: string, sessionId: string): boolean {
  const match = TOKEN.exec(token);
  return match !== null && cipher.verify(PURPOSE, sessionId.toLowerCase(), match[6]!);
}
