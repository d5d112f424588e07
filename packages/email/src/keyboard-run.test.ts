import fc from 'fast-check';
import { expect, test } from 'vitest';
import { honestLocalParts } from '../../../bench/support/email/honest-addresses.ts';
import { keyboardRun } from './keyboard-run.ts';

test.each([
  ['qwerty', 'qwerty'],
  ['Qwertz123', 'qwertz'],
  ['azerty', 'azerty'],
  ['asdfgh.jkl', 'asdfghjkl'],
  ['1q2w3e4r', '1q2w3e4r'],
  ['1qaz2wsx', '1qaz2wsx'],
  ['poiuytrewq', 'poiuytrewq'],
  ['qsdfghjk', 'qsdfghjk'],
  ['yxcvbnm', 'yxcvbnm'],
])('%s is a keyboard run', (local, run) => expect(keyboardRun(local)).toBe(run));

test.each([
  'wertheim',
  'a.rezaei',
  'property',
  'qwerty.jane.doe',
  'typewriter',
  '1234567890',
  'asd',
  'lkj',
  '',
  'jane',
])('%s is not a keyboard run', (local) => expect(keyboardRun(local)).toBe(''));

test('no local part of the model of legitimate users is a keyboard run', () => {
  expect(honestLocalParts(20_000).filter((local) => keyboardRun(local) !== '')).toEqual([]);
});

test('digits alone are not a keyboard run', () => {
  fc.assert(fc.property(fc.stringMatching(/^[0-9]{0,40}$/), (local) => keyboardRun(local) === ''));
});

test('a keyboard run is part of the text', () => {
  fc.assert(
    fc.property(fc.stringMatching(/^[a-z0-9.]{0,30}$/), (local) => {
      expect(local.replaceAll('.', '')).toContain(keyboardRun(local));
    }),
  );
});
