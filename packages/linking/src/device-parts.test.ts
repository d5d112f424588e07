import { expect, test } from 'vitest';
import { DIFFERING_PARTS, devicePartKeys } from './device-parts.ts';

const LAPTOP = {
  gpu: 'ANGLE (Intel, Mesa Intel(R) UHD Graphics 620, OpenGL 4.6)',
  canvas: '5d3f',
  architecture: 'x86',
  hardwareConcurrency: 8,
  deviceMemory: 8,
  math: '77aa',
  platform: 'Linux x86_64',
  vendor: 'Google Inc.',
  fonts: 'Arial,Courier',
  plugins: '91bc',
  audio: 124.04,
  screenResolution: '1920x1080',
  languages: 'de-DE',
};

const shared = (changes: Record<string, unknown>) => {
  const keys = new Set(devicePartKeys(LAPTOP).map(({ key }) => key));
  return devicePartKeys({ ...LAPTOP, ...changes })
    .filter(({ key }) => keys.has(key))
    .map(({ part }) => part);
};

test('a device that differs in one light part shares the key without that part', () => {
  expect(shared({ fonts: 'Arial,Courier,Comic Sans' })).toEqual(['installed']);
  expect(shared({ screenResolution: '2560x1440' })).toEqual(['screen']);
  expect(shared({ languages: 'en-US' })).toEqual(['language']);
  expect(shared({ audio: 124.08 })).toEqual(['sound']);
  expect(shared({})).toEqual(DIFFERING_PARTS);
});

test('devices that differ in two parts, or in a heavy part, share no key', () => {
  expect(shared({ fonts: 'Arial', languages: 'en-US' })).toEqual([]);
  expect(shared({ gpu: 'ANGLE (NVIDIA)' })).toEqual([]);
  expect(shared({ hardwareConcurrency: 4 })).toEqual([]);
  expect(shared({ platform: 'Win32' })).toEqual([]);
});

test('the order of components and unknown components have no effect', () => {
  expect(devicePartKeys(Object.fromEntries(Object.entries(LAPTOP).reverse()))).toEqual(
    devicePartKeys(LAPTOP),
  );
  expect(shared({ somethingNew: 1 })).toEqual(DIFFERING_PARTS);
});

test('a device with few components has no keys', () => {
  const { gpu, canvas, ...withoutGraphics } = LAPTOP;
  expect(devicePartKeys(withoutGraphics)).toEqual([]);
  expect(devicePartKeys({ gpu, canvas, platform: 'Win32', fonts: 'Arial' })).toEqual([]);
  expect(devicePartKeys({})).toEqual([]);
});
