import { crc32 } from 'node:zlib';
import { base62, randomSecret, uuidOfHex } from '@vouchgraph/platform/ids';

/** Roles of a key, each including the one before it. */
export const KEY_ROLES = ['read', 'server', 'operator'] as const;
export type KeyRole = (typeof KEY_ROLES)[number];

export const ENVIRONMENTS = ['sandbox', 'production'] as const;
export type Environment = (typeof ENVIRONMENTS)[number];

/*
 * vg_test_<project, 32 hex>_<secret, 43 base62><checksum, 6 base62>
 *
 * The project in the key lets even the look-up of a key stay inside one project; the checksum lets a scanner distinguish a
 * key from other text.
 */
const KEY = /^vg_(test|live)_([0-9a-f]{32})_([0-9A-Za-z]{43})([0-9A-Za-z]{6})$/;
const VISIBLE_SECRET_CHARACTERS = 4;

function checksum(text: string): string {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(crc32(text));
  return base62(bytes, 6);
}

/** Makes a key of 256 random bits. It is shown once: only its hash is stored. */
export function generateApiKey(projectId: string, environment: Environment): string {
  const start = `vg_${environment === 'sandbox' ? 'test' : 'live'}_${projectId.replaceAll('-', '')}_${randomSecret()}`;
  return start + checksum(start);
}

/** The project that a key names, or null when the text is not one of our keys. */
export function projectOfApiKey(key: string): string | null {
  const match = KEY.exec(key);
  if (!match || checksum(key.slice(0, -6)) !== match[4]) return null;
  return uuidOfHex(match[2]!);
}

/** Whether a text begins as keys do, valid or not. */
export function startsLikeApiKey(text: string): boolean {
  return /^vg_(test|live)_/.test(text);
}

/** The beginning of a key that may be shown again: enough to recognize it, not to use it. */
export function visiblePrefix(key: string): string {
  const secretStart = key.lastIndexOf('_') + 1;
  return (
    key.slice(0, 'vg_test_'.length + 8) +
    '…' +
    key.slice(secretStart, secretStart + VISIBLE_SECRET_CHARACTERS)
  );
}

/** Whether a role includes another. */
export function includesRole(role: KeyRole, wanted: KeyRole): boolean {
  return KEY_ROLES.indexOf(role) >= KEY_ROLES.indexOf(wanted);
}
