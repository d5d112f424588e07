import { describe, expect, it } from 'vitest';
import { packedBoolean, packedBytes, packedTime, unpackRows } from './packed-rows.ts';

describe('packed rows', () => {
  it('are empty for a subquery without rows', () => {
    expect(unpackRows(null)).toEqual([]);
  });

  it('keep empty fields', () => {
    expect(unpackRows('1||x;2|y|')).toEqual([
      ['1', '', 'x'],
      ['2', 'y', ''],
    ]);
  });

  it('have bytes, timestamps and booleans in the format of PostgreSQL', () => {
    expect(packedBytes('\\x00ff7c3b')).toEqual(Buffer.from([0, 255, 124, 59]));
    expect(packedBytes('\\x')).toEqual(Buffer.alloc(0));
    expect(packedTime('2026-11-24 16:07:25.12+00')).toEqual(new Date('2026-11-24T16:07:25.120Z'));
    expect(packedTime('0044-03-15 12:00:00+00 BC').getUTCFullYear()).toBe(-43);
    expect([packedBoolean('t'), packedBoolean('f')]).toEqual([true, false]);
  });
});
