import fc from 'fast-check';
import { expect, test } from 'vitest';
import { faceDistance } from '../vision/faces/face-distance.ts';
import { DESCRIPTOR_LENGTH, FaceIndex } from './face-index.ts';

const descriptor = fc.float32Array({
  minLength: DESCRIPTOR_LENGTH,
  maxLength: DESCRIPTOR_LENGTH,
  noNaN: true,
  min: Math.fround(-0.15),
  max: Math.fround(0.15),
});

test('finds what a comparison with every face finds, whatever was added, replaced and taken out', () => {
  const step = fc.record({ id: fc.integer({ min: 0, max: 300 }), face: descriptor, isGone: fc.boolean() });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 400, size: 'max' }), descriptor, (steps, wanted) => {
      const index = new FaceIndex();
      const kept = new Map<string, Float32Array>();
      for (const { id, face, isGone } of steps) {
        if (isGone) {
          index.delete(String(id));
          kept.delete(String(id));
        } else {
          index.set(String(id), face);
          kept.set(String(id), face);
        }
      }
      expect(index.size).toBe(kept.size);
      const limit = 1.1;
      const near = [...kept].filter(([, face]) => faceDistance(face, wanted) < limit).map(([id]) => id);
      const found = index.search(wanted, limit, 1000);
      expect(found.map(({ templateId }) => templateId).toSorted()).toEqual(near.toSorted());
      const distances = found.map(({ distance }) => distance);
      expect(distances).toEqual(distances.toSorted((a, b) => a - b));
    }),
    { numRuns: 30 },
  );
});

test('gives the nearest when there are more than asked for', () => {
  const index = new FaceIndex();
  const at = (value: number) =>
    Float32Array.from({ length: DESCRIPTOR_LENGTH }, (_, place) => (place ? 0 : value));
  for (const value of [0.4, 0.1, 0.3, 0.2]) index.set(`face ${value}`, at(value));
  expect(index.search(at(0), 0.48, 2).map(({ templateId }) => templateId)).toEqual(['face 0.1', 'face 0.2']);
  expect(index.search(at(0), 0.1, 2)).toEqual([]);
});

test('takes nothing that is no descriptor', () => {
  expect(() => new FaceIndex().set('short', [1, 2, 3])).toThrow(RangeError);
});
