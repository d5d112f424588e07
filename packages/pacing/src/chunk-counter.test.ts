import { describe, expect, it } from 'vitest';
import { ChunkCounter } from './chunk-counter.ts';

const chunk = (data: string, extension = '') =>
  `${Buffer.byteLength(data).toString(16)}${extension}\r\n${data}\r\n`;
const SMALL = [chunk('x'), chunk('\r\n\r\n', ';name="a;b"'), chunk('x'.repeat(63))];
const LARGE = [chunk('y'.repeat(64)), chunk('0\r\n'.repeat(3000)), chunk('é'.repeat(0xabc)).toUpperCase()];
const ENDS = ['0\r\n\r\n', '000;last\r\nDigest: a\r\nOther: b\r\n\r\n'];

describe('a body in chunks', () => {
  it.each(ENDS)('ends before the next request, after %j', (end) => {
    for (const pieceBytes of [1, 2, 7, 64, 1000, 1e6]) {
      const body = Buffer.from([...SMALL, ...LARGE, ...SMALL].join('') + end);
      const all = Buffer.concat([body, Buffer.from('GET / HTTP/1.1\r\n\r\n')]);
      const counter = new ChunkCounter();
      let at = 0;
      let smallChunks = 0;
      while (at < body.length) {
        const taken = counter.take(all.subarray(at, at + pieceBytes), 1e6);
        expect(taken.length).toBeGreaterThan(0);
        at += taken.length;
        smallChunks += taken.smallChunks;
      }
      expect([at, smallChunks]).toEqual([body.length, 2 * SMALL.length]);
    }
  });

  it('is taken in parts with a number of chunks', () => {
    const counter = new ChunkCounter();
    const body = Buffer.from(SMALL.join(''));
    const first = counter.take(body, 2);
    expect(first.smallChunks).toBe(2);
    expect(counter.take(body.subarray(first.length), 2)).toEqual({
      length: body.length - first.length,
      smallChunks: 1,
    });
  });

  it.each([' ', '-', '0x', 'g', '/', ':', '@', '`', '\u00ff', '\r'])(
    'with a size that contains %j is passed on to the parser, whole and in order',
    (text) => {
      const body = Buffer.from(`${text}5${text}\r\nabcde\r\n${text}\r\n0\r\n\r\n`.repeat(20), 'latin1');
      const counter = new ChunkCounter();
      for (let at = 0; at < body.length; ) {
        const { length } = counter.take(body.subarray(at), 3);
        expect(length).toBeGreaterThan(0);
        expect(length).toBeLessThanOrEqual(body.length - at);
        at += length;
      }
    },
  );

  it('is followed by bytes that nothing delays', () => {
    const counter = new ChunkCounter();
    counter.take(Buffer.from(ENDS[0]!), 1);
    expect(counter.take(Buffer.from('abc'), 1)).toEqual({ length: 3, smallChunks: 0 });
  });
});
