import { decodeBorders, decodeLine } from '@vouchgraph/signals/internals/geo/borders-format';
import { expect, test } from 'vitest';
import { encodeBorders, encodeLine } from './encode-borders.ts';

const HEADER = {
  source: 'test',
  sourceVersion: '1',
  licence: 'public domain',
  attribution: 'nobody',
  countries: 2,
  lines: 1,
  points: 2,
};
const BODY = { codes: ['AA', 'BB'], outlines: [[0], [0]], lines: [[1, 2, 3, -4]], distancesKm: [0] };

test('written outlines are read back after a first line of text', () => {
  const file = encodeBorders(HEADER, BODY);
  expect(decodeBorders(file)).toMatchObject({ header: HEADER, body: BODY });
  expect(file.toString().split('\n')[0]).toContain('"attribution":"nobody"');
});

test('equal content produces equal bytes', () => {
  expect(encodeBorders(HEADER, BODY).equals(encodeBorders(HEADER, BODY))).toBe(true);
});

test('a file of another version is rejected', () => {
  const file = Buffer.from(
    encodeBorders(HEADER, BODY).toString('latin1').replace('"formatVersion":1', '"formatVersion":9'),
    'latin1',
  );
  expect(() => decodeBorders(file)).toThrow('format version 9');
});

test('points are stored with the accuracy of one step', () => {
  const line = [
    [-179.9987, 89.4321],
    [179.1234, -89.9],
    [0, 0],
  ] as const;
  const decoded = decodeLine(encodeLine(line));
  expect(decoded).toHaveLength(3);
  for (const [index, [longitude, latitude]] of line.entries()) {
    expect(Math.abs(decoded[index]![0] - longitude)).toBeLessThanOrEqual(0.0026);
    expect(Math.abs(decoded[index]![1] - latitude)).toBeLessThanOrEqual(0.0026);
  }
});
