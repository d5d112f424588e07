import { expect, test } from 'vitest';
import providers from '../data/large-providers.json' with { type: 'json' };

test('large-providers.json contains domains in lower case, each once', () => {
  expect(providers.filter((domain) => !/^[a-z0-9-]+(\.[a-z0-9-]+)+$/.test(domain))).toEqual([]);
  expect(new Set(providers).size).toBe(providers.length);
});
