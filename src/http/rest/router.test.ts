import { describe, expect, it } from 'vitest';
import { readQuery } from './query.ts';
import { matchRoute, withoutTrailingSlash } from './router.ts';

describe('a trailing slash of a path', () => {
  it.each([
    ['/account/x/', '/account/x'],
    ['/account/x', '/account/x'],
    ['/account/x//', '/account/x//'],
    ['/account/x%2F', '/account/x%2F'],
    ['/account/x%2F/', '/account/x%2F'],
    ['/account/', '/account'],
    ['/', '/'],
    ['//', '//'],
    ['', ''],
  ])('%s is %s', (path, expected) => {
    expect(withoutTrailingSlash(path)).toBe(expected);
  });

  it('is encoded when it belongs to an id', () => {
    expect(matchRoute('GET', withoutTrailingSlash('/account/x%2F/'))?.params).toEqual({ account_id: 'x/' });
    expect(matchRoute('GET', withoutTrailingSlash('/account//'))).toBeNull();
    expect(matchRoute('GET', withoutTrailingSlash('/account/x//'))).toBeNull();
  });
});

it('a query is read by the parameters of its row: texts unchanged, booleans by their meaning', () => {
  const parameters = {
    limit: { type: 'integer', description: '' },
    id: { type: 'boolean', description: '' },
    excludePII: { type: 'exclusion', description: '' },
  } as const;
  const read = (query: string) => readQuery(parameters, new URLSearchParams(query));
  expect(read('limit=1&id=Yes&EXCLUDEPII&other=a&other=b')).toEqual({
    query: { limit: '1', id: 'Yes', EXCLUDEPII: '', other: 'a,b' },
    flags: { id: true, excludePII: true },
  });
  expect(read('')).toEqual({ query: {}, flags: { id: false, excludePII: false } });
  expect(() => read('id=maybe')).toThrow(/^id: must be true, false, 1, 0, yes or no$/);
});
