import type { ProjectCipher } from '@vouchgraph/platform/crypto';
import { randomSecret } from '@vouchgraph/platform/ids';

/*
 * The first-party browser id: a random value in a cookie, signed by the project, so that a page cannot choose it.
 * A value without its signature is ignored.
 */
const PURPOSE = 'browser id';

/** A random browser id, 22 characters. */
export function newBrowserId(): string {
  return randomSecret().slice(0, 22);
}

/** Value of the cookie of a browser id. */
export function signBrowserId(cipher: ProjectCipher, browserId: string): string {
  return `${browserId}.${cipher.sign(PURPOSE, browserId)}`;
}

/** The id in a signed cookie value, or null when it was not signed by this project. */
export function readBrowserId(cipher: ProjectCipher, signed: string): string | null {
  const dot = signed.indexOf('.');
  if (dot < 1) return null;
  const browserId = signed.slice(0, dot);
  return cipher.verify(PURPOSE, browserId, signed.slice(dot + 1)) ? browserId : null;
}
