import { expect, test } from 'vitest';
import { unpackFacts } from './decision-facts.ts';
import { FIELDS, METADATA } from './field-catalogue.ts';
import { ruleLanguage } from './rule-language.ts';

const entries = Object.entries(FIELDS);

test.each(entries)('%s can be parsed and has a description', (name, field) => {
  expect(ruleLanguage.parse(`${name} IS PRESENT`)).toEqual({ field: name, op: 'is_present' });
  expect(field.description).toMatch(/^[A-Z].*[^.]$/);
  expect(field.description.length).toBeLessThanOrEqual(110);
});

test('each field names its events: sessions, checks, ID checks or any', () => {
  for (const [name, { on }] of entries) {
    const [first] = name.split('.');
    if (first === 'verification') expect(['verification', 'document']).toContain(on);
    else expect(on).toBe(first === 'session' ? 'session' : 'any');
  }
});

test('decision facts have a reader for each field', () => {
  const { [METADATA]: _, ...facts } = unpackFacts({ facts: [] });
  expect(Object.keys(facts).toSorted()).toEqual(entries.map(([name]) => name).toSorted());
});

test('numbers have a range', () => {
  for (const [name, { type, range }] of entries) if (type === 'number') expect(range, name).toBeTruthy();
});
