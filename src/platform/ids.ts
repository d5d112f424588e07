import { randomBytes, randomFillSync } from 'node:crypto';

const pool = new Uint8Array(10 * 256);
let poolOffset = pool.length;

/**
 * A UUID version 7 (RFC 9562): 48 bits of milliseconds, then random bits, so that new rows land at the end of an
 * index and ids sort by time of creation.
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

/** The time that an id of `newId` contains. */
export function timeOfId(id: string): Date {
  return new Date(Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16));
}

/** Below every id that is made at this moment or later, and above every one that was made before. */
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

/** The nil UUID (RFC 9562): the id of no row, before every id in order. */
export const NIL_UUID = '00000000-0000-0000-0000-000000000000';

/** The max UUID (RFC 9562): the id of no row, behind every id in order. */
export const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff';

const BASE62 = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';

/** Bytes as a base62 number, left-padded to `length` characters (22 hold 128 bits, 43 hold 256). */
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
