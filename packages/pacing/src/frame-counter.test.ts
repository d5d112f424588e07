import { describe, expect, it } from 'vitest';
import { FrameCounter } from './frame-counter.ts';

/** A masked frame of a client. */
function frame(length: number): Buffer {
  const size =
    length < 126
      ? [0x80 | length]
      : length < 65_536
        ? [0x80 | 126, length >> 8, length & 255]
        : [0x80 | 127, 0, 0, 0, 0, 0, length >> 16, (length >> 8) & 255, length & 255];
  return Buffer.concat([Buffer.from([0x81, ...size, 1, 2, 3, 4]), Buffer.alloc(length, 0x81)]);
}

const LENGTHS = [0, 1, 125, 126, 127, 300, 65_535, 65_536, 70_000, 0, 5];
const frames = LENGTHS.map(frame);
const all = Buffer.concat(frames);

describe('the frames of a chunk', () => {
  it('end where the library ends them', () => {
    const counter = new FrameCounter();
    let rest = all;
    for (const one of frames) {
      expect(counter.take(rest, 1)).toEqual({ length: one.length, frames: 1 });
      rest = rest.subarray(one.length);
    }
    expect(rest.length).toBe(0);
  });

  it.each([1, 2, 3, 7, 1000, 65_536])('are counted once in chunks of %i bytes', (size) => {
    const counter = new FrameCounter();
    let count = 0;
    for (let from = 0; from < all.length; from += size) {
      const chunk = all.subarray(from, from + size);
      for (let at = 0; at < chunk.length; ) {
        const taken = counter.take(chunk.subarray(at), 2);
        expect(taken.length).toBeGreaterThan(0);
        count += taken.frames;
        at += taken.length;
      }
    }
    expect(count).toBe(LENGTHS.length);
  });

  it('do not include one beyond the maximum', () => {
    const counter = new FrameCounter();
    const chunk = Buffer.concat(Array.from({ length: 10 }, () => frame(0)));
    expect(counter.take(chunk, 4)).toEqual({ length: 24, frames: 4 });
    expect(counter.take(chunk.subarray(24), 0)).toEqual({ length: 0, frames: 0 });
    expect(counter.take(chunk.subarray(24), 40)).toEqual({ length: 36, frames: 6 });
  });
});
