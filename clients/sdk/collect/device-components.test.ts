import { describe, expect, test } from 'vitest';
import { deviceComponents, type Engine } from './device-components.ts';

const PLAIN: Engine = { isBrave: false, isGecko: false, isWebKit: false, isSamsung: false };

const RAW = {
  platform: 'Win32',
  hardwareConcurrency: 8,
  deviceMemory: 8,
  screenResolution: [1080, 1920],
  gpu: 'Google Inc. (Intel) ANGLE (Intel, Intel(R) UHD Graphics 620)',
  languages: [['fr-FR'], ['fr-FR', 'en']],
  fonts: ['Calibri', 'Segoe UI'],
  plugins: [{ name: 'PDF Viewer' }],
  math: { acos: 1.4 },
  audio: { first: 74.5, second: 74.5 },
  canvas: { first: 'aa', second: 'aa', isBlank: false },
};

describe('device components', () => {
  test('are equal for two visits of one browser', () => {
    const [first, second] = [RAW, structuredClone(RAW)].map((raw) => deviceComponents(raw, PLAIN));
    expect(JSON.stringify(first)).toBe(JSON.stringify(second));
    expect(Object.keys(first!)).toEqual(
      expect.arrayContaining(['platform', 'gpu', 'audio', 'canvas', 'fonts', 'plugins', 'screenResolution']),
    );
  });

  test('are equal for a private window, which reveals only the first language', () => {
    const privately = { ...RAW, languages: [['fr-FR']] };
    expect(deviceComponents(privately, PLAIN)).toEqual(deviceComponents(RAW, PLAIN));
  });

  test('differ for another graphics card', () => {
    expect(deviceComponents({ ...RAW, gpu: 'Apple GPU' }, PLAIN)).not.toEqual(deviceComponents(RAW, PLAIN));
  });

  test('contain no canvas or audio value that is noise', () => {
    const noisy = {
      ...RAW,
      audio: { first: 74.5, second: 74.6 },
      canvas: { first: 'aa', second: 'ab', isBlank: false },
    };
    const { audio, canvas, ...others } = deviceComponents(noisy, PLAIN);
    expect([audio, canvas]).toEqual([undefined, undefined]);
    expect(others).toHaveProperty('gpu');
  });

  test('contain no canvas when it is blank', () => {
    const blank = { ...RAW, canvas: { first: 'aa', second: 'aa', isBlank: true } };
    expect(deviceComponents(blank, PLAIN)).not.toHaveProperty('canvas');
  });

  test('contain no values that the browser engine randomizes', () => {
    const brave = deviceComponents(RAW, { ...PLAIN, isBrave: true });
    expect(Object.keys(brave).sort()).toEqual(['languages', 'math', 'platform']);
    expect(deviceComponents(RAW, { ...PLAIN, isGecko: true })).not.toHaveProperty('fonts');
    expect(deviceComponents(RAW, { ...PLAIN, isWebKit: true })).not.toHaveProperty('audio');
    expect(deviceComponents(RAW, { ...PLAIN, isSamsung: true })).toHaveProperty('canvas');
  });

  test('are omitted for a browser without values', () => {
    expect(deviceComponents({}, PLAIN)).toEqual({});
    expect(deviceComponents({ fonts: [], model: '', audio: null, languages: 7 }, PLAIN)).toEqual({});
  });

  test('fit in the size limit', () => {
    const plugins = Array.from({ length: 50 }, (_, index) => ({ name: `Plugin ${index}`, description: 'x' }));
    expect(JSON.stringify(deviceComponents({ ...RAW, plugins }, PLAIN)).length).toBeLessThan(1000);
  });
});
