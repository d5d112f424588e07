import { expect, test } from 'vitest';
import { CATALOGUE } from '../../../test/support/rule-language.ts';
import { nearestName, typosBetween } from './nearest-name.ts';

test.each([
  ['sesion.bot', 'session.bot'],
  ['SESSION.BOT', 'session.bot'],
  ['session.bto', 'session.bot'],
  ['list', 'lists'],
  ['vpn', 'session.risk_signals.vpn'],
  ['session.network.connection_type', 'session.connection_type'],
  ['verification.age', 'verification.id_age'],
  ['id_age', 'verification.id_age'],
  ['velocity.session_1h', 'velocity.sessions_1h'],
  ['account.unique_device.1_day', 'account.unique_devices.1_day'],
])('the nearest name to %s is %s', (written, name) => {
  expect(nearestName(written, Object.keys(CATALOGUE.fields))).toBe(name);
});

test.each(['x', 'something.completely.different', 'a'.repeat(1000)])('%s has no near name', (written) => {
  expect(nearestName(written, Object.keys(CATALOGUE.fields))).toBeNull();
});

test.each([
  ['', '', 0],
  ['abc', 'abc', 0],
  ['abc', 'ab', 1],
  ['ab', 'abc', 1],
  ['abc', 'axc', 1],
  ['abc', 'acb', 1],
  ['abc', '', 3],
  ['kitten', 'sitting', 3],
])('the edit distance from %s to %s is %i', (a, b, slips) => {
  expect(typosBetween(a, b)).toBe(slips);
});
