import { describe, expect, it } from 'vitest';
import {
  bareLetters,
  beginsName,
  isSameName,
  nameSimilarity,
  nameWords,
  titleCase,
  zoneLetters,
} from './names.ts';

describe('two spellings', () => {
  it.each([
    ['Müller', 'MUELLER'],
    ['Müller', 'MULLER'],
    ['Weiß', 'WEISS'],
    ["O'Brien", 'OBRIEN'],
    ['Jean-Luc', 'JEAN LUC'],
    ['Muñoz Peña', 'MUNOZ PENA'],
    ['DE LACRUZ', 'DELA CRUZ'],
    ['Søren', 'SOEREN'],
  ])('%s and %s are of one name', (a, b) => {
    expect(isSameName(a, b)).toBe(true);
    expect(isSameName(b, a)).toBe(true);
  });

  it.each([
    ['Müller', 'MOELLER'],
    ['Anna', 'Anne'],
    ['Khan', ''],
    ['', ''],
  ])('%s and %s are of different names', (a, b) => {
    expect(isSameName(a, b)).toBe(false);
  });
});

it('letters of a zone spell out umlauts, and the plain spelling drops them', () => {
  expect([zoneLetters('Größler'), bareLetters('Größler')]).toEqual(['GROESSLER', 'GROSSLER']);
});

it('a truncated name is the beginning of the whole one', () => {
  expect(beginsName('MAXIMILIAN ALEX', 'Maximilian Alexander')).toBe(true);
  expect(beginsName('MAXIMILIAN ALEX', 'Maximiliane')).toBe(false);
  // Two letters are the beginning of too many names.
  expect(beginsName('AN', 'Anna')).toBe(false);
});

it('the similarity falls from one to zero', () => {
  expect(nameSimilarity('SCHMIDT', 'Schmidt')).toBe(1);
  expect(nameSimilarity('SCHMIDT', 'SCHNIDT')).toBeCloseTo(6 / 7);
  expect(nameSimilarity('SCHMIDT', 'GARCIA')).toBeLessThan(0.4);
  expect(nameSimilarity('', '')).toBe(0);
});

describe('title case', () => {
  it.each([
    ["JEAN-LUC O'BRIEN", "Jean-Luc O'Brien"],
    ['MARÍA JOSÉ', 'María José'],
    ['VON BÜLOW', 'Von Bülow'],
    ["D'ANGELO", "D'Angelo"],
    ['MacDonald', 'MacDonald'],
    ['  ANNA   MARIA ', 'Anna Maria'],
    ['', ''],
  ])('of %s is %s', (name, expected) => {
    expect(titleCase(name)).toBe(expected);
  });
});

it('words of a name are separated by spaces and hyphens', () => {
  expect(nameWords('Anne-Sophie Müller')).toEqual(['ANNE', 'SOPHIE', 'MULLER']);
});
