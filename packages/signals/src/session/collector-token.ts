import type { ProjectCipher } from '@vouchgraph/platform/crypto';

/*
 * vgs_<project, 32 hex>_<signature over the session id>
 *
 * Allows only the client that created a session to add facts to it. Nothing is stored: the signature binds the token to
 * its session, and the token is invalid once the session is complete or expired.
 */
const TOKEN = /^vgs_([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})_([\w-]{43})$/;
const PURPOSE = 'collector token';

/** The token of a session, for the client that created it. */
export function collectorToken(cipher: ProjectCipher, projectId: string, sessionId: string): string {
  return `vgs_${projectId.replaceAll('-', '')}_${cipher.sign(PURPOSE, sessionId)}`;
}

/** The project that a collector token names (not yet verified), or null when the text is not a token. */
export function projectOfCollectorToken(token: string): string | null {
  const match = TOKEN.exec(token);
  return match ? match.slice(1, 6).join('-') : null;
}

/** Whether a token was signed for this session by its project. */
export function isCollectorTokenOf(cipher: ProjectCipher, token: string, sessionId: string): boolean {
  const match = TOKEN.exec(token);
  return match !== null && cipher.verify(PURPOSE, sessionId.toLowerCase(), match[6]!);
}
