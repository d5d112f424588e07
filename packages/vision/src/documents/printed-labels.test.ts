import { expect, test } from 'vitest';
import labels from '../../data/printed-labels.json' with { type: 'json' };
import states from '../../data/states.json' with { type: 'json' };

test('printed-labels.json contains letters and digits without accents, each label once', () => {
  const all = Object.values(labels).flat();
  expect(all.filter((label) => !/^[a-z0-9]+$/.test(label))).toEqual([]);
  expect(all.filter((label, index) => all.indexOf(label) !== index)).toEqual([]);
});

test('states.json contains names in capital letters, and each code once', () => {
  const all = [...Object.entries(states.US), ...Object.entries(states.CA)];
  expect(all.filter(([name, code]) => !/^[A-Z ]+$/.test(name) || !/^[A-Z]{2}$/.test(code))).toEqual([]);
  expect(new Set(all.map(([, code]) => code)).size).toBe(all.length);
});
