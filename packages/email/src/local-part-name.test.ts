import { expect, test } from 'vitest';
import { containsName } from './local-part-name.ts';

test.each([
  ['jane.doe', 'Jane', 'Doe'],
  ['DoeJane1985', 'Jane', 'Doe'],
  ['jane.m.doe', 'Jane', 'Doe'],
  ['jdoe', 'Jane', 'Doe'],
  ['doej', 'Jane', 'Doe'],
  ['jane.d', 'Jane', 'Doe'],
  ['d.jane77', 'Jane', 'Doe'],
  ['lina', 'Na', 'Li'],
  ['xiaoming.wang', '小明', '王'],
  ['jorgmuller', 'Jörg', 'Müller'],
  ['sobrien', 'Sean', "O'Brien"],
  ['mariagarcia', 'María José', 'García López'],
])('%s contains the name %s %s', (local, first, last) => expect(containsName(local, first, last)).toBe(true));

test.each([
  ['jane', 'Jane', 'Doe'],
  ['doe', 'Jane', 'Doe'],
  ['dragonslayer', 'Jane', 'Doe'],
  ['marlina', 'Na', 'Li'],
  ['annalisa', 'Anna', 'Ann'],
  ['lin', 'Na', 'Li'],
  ['jane.doe', 'Jane', ''],
  ['jane.doe', '', ''],
  ['jane.doe', '!!', '...'],
  ['', 'Jane', 'Doe'],
])('%s does not contain the name %s %s', (local, first, last) => {
  expect(containsName(local, first, last)).toBe(false);
});

test('only the first words of a long name are compared', () => {
  const long = Array.from({ length: 50_000 }, (_, index) => `name${index}`).join(' ');
  expect(containsName('jane.doe', `${long} Jane`, `${long} Doe`)).toBe(false);
});
