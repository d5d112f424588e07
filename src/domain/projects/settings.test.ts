import { expect, it } from 'vitest';
import { changeSettings, parseSettings } from './settings.ts';

it('stores only values that were set, so that other settings follow the defaults', () => {
  const { stored, settings } = changeSettings({}, { fakeFrom: 0.8, introspection: false });
  expect(stored).toEqual({ fakeFrom: 0.8, thresholdsVersion: 2 });
  expect(settings).toEqual(parseSettings(stored));
});

it('keeps values stored by a newer version', () => {
  const stored = { fakeFrom: 0.9, thresholdsVersion: 5, somethingNew: [1] };
  expect(changeSettings(stored, { introspection: true }).stored).toEqual({ ...stored, introspection: true });
});

it('uses the defaults when the stored value is unreadable, as the service does', () => {
  expect(changeSettings({ fakeFrom: 7, introspection: true }, { suspiciousFrom: 0.5 })).toEqual({
    settings: { ...parseSettings({}), suspiciousFrom: 0.5, thresholdsVersion: 2 },
    stored: { suspiciousFrom: 0.5, thresholdsVersion: 2 },
    before: { suspiciousFrom: 0.4, thresholdsVersion: 1 },
    after: { suspiciousFrom: 0.5, thresholdsVersion: 2 },
  });
});

it('accepts other settings when the stored thresholds are in the wrong order, and requires the correct order for new ones', () => {
  const stored = { suspiciousFrom: 0.9, fakeFrom: 0.2 };
  expect(changeSettings(stored, { introspection: true }).after).toEqual({ introspection: true });
  expect(() => changeSettings(stored, { fakeFrom: 0.3 })).toThrow(/at most fakeFrom/);
  expect(changeSettings(stored, { fakeFrom: 0.9 }).settings).toMatchObject({ thresholdsVersion: 2 });
});

it.each([
  [Number.NaN, 'a number'],
  [Number.POSITIVE_INFINITY, 'a number'],
  [-1, 'between 0 and 1'],
])('rejects the threshold %d', (value, accepted) => {
  expect(() => changeSettings({}, { fakeFrom: value })).toThrow(`fakeFrom: must be ${accepted}`);
});
