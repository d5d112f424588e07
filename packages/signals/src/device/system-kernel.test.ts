import { expect, test } from 'vitest';
import { USER_AGENTS } from '../../../../test/support/signals/user-agents.ts';
import { kernelOfHint, kernelOfPlatform, kernelOfSystem, kernelOfUserAgent } from './system-kernel.ts';

test.each([
  ['Windows', ['Windows 10'], ['Win32', 'Win64'], ['Windows'], [USER_AGENTS.chromeWindows, USER_AGENTS.edge]],
  [
    'Apple',
    ['macOS 10.15.7', 'iOS 18.5', 'iPadOS'],
    ['MacIntel', 'iPhone', 'iPad', 'iPod'],
    ['macOS', 'iOS'],
    [USER_AGENTS.safariMac, USER_AGENTS.chromeIphone],
  ],
  [
    'Linux',
    ['Android 15', 'Chrome OS 14541.0.0', 'Ubuntu', 'Linux', 'Fedora 40'],
    ['Linux x86_64', 'Linux armv81', 'Android'],
    ['Linux', 'Android', 'Chrome OS', 'Chromium OS'],
    [USER_AGENTS.chromeAndroid, USER_AGENTS.chromeOs, USER_AGENTS.firefoxLinux],
  ],
])('%s has many names', (kernel, systems, platforms, hints, userAgents) => {
  expect(systems.map(kernelOfSystem)).toEqual(systems.map(() => kernel));
  expect(platforms.map(kernelOfPlatform)).toEqual(platforms.map(() => kernel));
  expect(hints.map(kernelOfHint)).toEqual(hints.map(() => kernel));
  expect(userAgents.map(kernelOfUserAgent)).toEqual(userAgents.map(() => kernel));
});

test('other and missing operating systems are unknown', () => {
  expect(['', 'PlayStation 5', 'Tizen 6.0', 'FreeBSD'].map(kernelOfSystem)).toEqual([null, null, null, null]);
  expect(['', 'PlayStation 5', 'FreeBSD amd64'].map(kernelOfPlatform)).toEqual([null, null, null]);
  expect(['', 'Fuchsia', 'Unknown'].map(kernelOfHint)).toEqual([null, null, null]);
  expect(['', 'curl/8.5.0'].map(kernelOfUserAgent)).toEqual([null, null]);
});
