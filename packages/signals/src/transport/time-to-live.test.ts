import { expect, test } from 'vitest';
import { initialTimeToLive, timeToLiveOf } from './time-to-live.ts';

test.each([
  [64, 64],
  [52, 64],
  [128, 128],
  [115, 128],
  [249, null],
  [70, null],
  [12, null],
  [0, null],
])('a packet that arrives with %i started with %o', (arrived, initial) => {
  expect(initialTimeToLive(arrived)).toBe(initial);
});

test.each([
  ['Windows 10', 128],
  ['macOS 10.15.7', 64],
  ['iOS 17.5', 64],
  ['Android 14', 64],
  ['Chrome OS 15633.69.0', 64],
  ['Linux', 64],
  ['Windows Phone 10.0', null],
  ['PlayStation 5', null],
  ['', null],
])('packets of %s start with %o', (os, initial) => {
  expect(timeToLiveOf(os)).toBe(initial);
});
