import { randomBytes, randomFillSync } from 'node:crypto';

const pool = new Uint8Array(10 * 256);
let poolOffset = pool.length;

/**
 * A UUID version 7 (RFC 9562): 48 bits of milliseconds, then random bits, so that new rows are appended to an index and ids sort
 * by creation time.
 */
export function newId(now: number = Date.now()): string {
  if (poolOffset === pool.length) {
    randomFillSync(pool);
    poolOffset = 0;
  }
  const random = pool.subarray(poolOffset, poolOffset + 10);
  poolOffset += 10;
  const time = now.toString(16).padStart(12, '0');
  const hex = Buffer.from(random).toString('hex');
  const variant = ((random[2]! & 0x3f) | 0x80).toString(16);
  return `${time.slice(0, 8)}-${time.slice(8)}-7${hex.slice(1, 4)}-${variant}${hex.slice(6, 8)}-${hex.slice(8)}`;
}

/** Creation time of an id of `newId`. */
export function timeOfId(id: string): Date {
  return new Date(Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16));
}

/** Lower bound of ids created at or after this time, and upper bound of earlier ids. */
export function firstIdAt(moment: Date): string {
  const time = Math.max(0, moment.getTime()).toString(16).padStart(12, '0');
  return `${time.slice(0, 8)}-${time.slice(8)}-0000-0000-000000000000`;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

export function isUuid(text: string): boolean {
  return UUID.test(text);
}

/** The UUID of 32 hexadecimal digits. */
export function uuidOfHex(hex: string): string {
  return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

/** The nil UUID (RFC 9562): less than every id; not the id of any row. */
export const NIL_UUID = '00000000-0000-0000-0000-000000000000';

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Bytes as a base62 number, left-padded to `length` characters (22 for 128 bits, 43 for 256 bits). */
export function base62(bytes: Uint8Array, length: number): string {
  let value = BigInt(`0x${Buffer.from(bytes).toString('hex') || '0'}`);
  let text = '';
  while (value > 0n) {
    text = BASE62[Number(value % 62n)] + text;
    value /= 62n;
  }
  return text.padStart(length, '0').slice(-length);
}

/** 256 random bits in base62 (43 characters). */
export function randomSecret(): string {
  return base62(randomBytes(32), 43);
}
