const OFFSET_BASIS = 0x811c9dc5;
const PRIME = 0x01000193;

/**
 * Short hash of a long text, so that images need not be sent: two FNV-1a hashes of 32 bits
 * (http://www.isthe.com/chongo/tech/comp/fnv/), the second one over the reversed text. Not cryptographic.
 */
export function shortHash(text: string): string {
  let forwards = OFFSET_BASIS;
  let backwards = OFFSET_BASIS;
  for (let index = 0; index < text.length; index += 1) {
    forwards = Math.imul(forwards ^ text.charCodeAt(index), PRIME);
    backwards = Math.imul(backwards ^ text.charCodeAt(text.length - 1 - index), PRIME);
  }
  return hex(forwards) + hex(backwards);
}

/** SHA-256 of a text in hexadecimal; null where the page has no Web Crypto, as without https. */
export async function sha256(text: string): Promise<string | null> {
  if (!globalThis.crypto?.subtle) return null;
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(text));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, '0')).join('');
}

function hex(value: number): string {
  return (value >>> 0).toString(16).padStart(8, '0');
}
