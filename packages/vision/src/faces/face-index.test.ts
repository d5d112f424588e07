import fc from 'fast-check';
import { expect, test } from 'vitest';
import { faceDistance } from './face-distance.ts';
import { FaceIndex } from './face-index.ts';
import { DESCRIPTOR_LENGTH } from './face-pipeline.ts';

const descriptor = fc.float32Array({
  minLength: DESCRIPTOR_LENGTH,
  maxLength: DESCRIPTOR_LENGTH,
  noNaN: true,
  min: Math.fround(-0.15),
  max: Math.fround(0.15),
});

test('finds the same faces as a full comparison after adding, replacing and removing', async () => {
  const step = fc.record({
    id: fc.integer({ min: 0, max: 300 }),
    face: descriptor,
    group: fc.constantFrom('', 'other'),
    isGone: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 400, size: 'max' }), descriptor, async (steps, wanted) => {
      const index = new FaceIndex();
      const kept = new Map<string, { face: Float32Array; group: string }>();
      for (const { id, face, group, isGone } of steps) {
        if (isGone) {
          index.delete(String(id));
          kept.delete(String(id));
        } else {
          index.set(String(id), face, group);
          kept.set(String(id), { face, group });
        }
      }
      expect(index.size).toBe(kept.size);
      const limit = 1.1;
      const others = [...kept].filter(([, { group }]) => group === 'other');
      expect(index.sizeOf('other')).toBe(others.length);
      expect(index.sizeOf('')).toBe(kept.size - others.length);
      const near = others.filter(([, { face }]) => faceDistance(face, wanted) < limit).map(([id]) => id);
      const found = await index.search(wanted, limit, 1000, 'other');
      expect(found.map(({ templateId }) => templateId).toSorted()).toEqual(near.toSorted());
      const distances = found.map(({ distance }) => distance);
      expect(distances).toEqual(distances.toSorted((a, b) => a - b));
    }),
    { numRuns: 30 },
  );
});

test('returns the nearest faces over the limit', async () => {
  const index = new FaceIndex();
  const at = (value: number) =>
    Float32Array.from({ length: DESCRIPTOR_LENGTH }, (_, place) => (place ? 0 : value));
  for (const value of [0.4, 0.1, 0.3, 0.2]) index.set(`face ${value}`, at(value));
  const found = await index.search(at(0), 0.48, 2);
  expect(found.map(({ templateId }) => templateId)).toEqual(['face 0.1', 'face 0.2']);
  expect(await index.search(at(0), 0.1, 2)).toEqual([]);
});

const alongFirst = (value: number) =>
  Float32Array.from({ length: DESCRIPTOR_LENGTH }, (_, place) => (place ? 0 : value));

/** Each face has its own position on a line, which identifies it in a search. */
function manyFaces(count: number): FaceIndex {
  const index = new FaceIndex();
  for (let at = 0; at < count; at += 1) index.set(`face ${at}`, alongFirst(at));
  return index;
}

test('finds each of many faces, at every border of its blocks', async () => {
  const count = 40_000;
  const index = manyFaces(count);
  for (const at of [0, 255, 256, 8191, 8192, 9999, 10_000, 16_383, 16_384, 29_999, 30_000, count - 1])
    expect(await index.search(alongFirst(at), 0.5, 5)).toEqual([{ templateId: `face ${at}`, distance: 0 }]);
});

test('yields to the event loop without missing faces that move meanwhile', async () => {
  const count = 40_000;
  const index = manyFaces(count);
  let turns = 0;
  const searching = index.search(alongFirst(0), count + 1, count);
  const others = (async () => {
    for (; index.size > count - 300; turns += 1) {
      await new Promise<void>((resolve) => setImmediate(resolve));
      // The last faces take the positions of the first, which are searched last.
      for (let at = 0; at < 100; at += 1) index.delete(`face ${turns * 100 + at}`);
    }
  })();
  const found = new Set((await searching).map(({ templateId }) => templateId));
  expect(turns).toBeGreaterThanOrEqual(2);
  await others;
  expect(
    Array.from({ length: count - 300 }, (_, at) => `face ${at + 300}`).filter((id) => !found.has(id)),
  ).toEqual([]);
});

test('returns at most the limit of many equal faces', async () => {
  const index = new FaceIndex();
  for (let at = 0; at < 9000; at += 1) index.set(`face ${at}`, alongFirst(1 + at / 100_000));
  const found = await index.search(alongFirst(1), 0.48, 20);
  expect(found.map(({ templateId }) => templateId)).toEqual(
    Array.from({ length: 20 }, (_, at) => `face ${at}`),
  );
});

test('rejects a value that is not a descriptor', () => {
  expect(() => new FaceIndex().set('short', [1, 2, 3])).toThrow(RangeError);
});
