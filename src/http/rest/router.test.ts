import { describe, expect, it } from 'vitest';
import { matchRoute } from './router.ts';

describe('a slash at the end of a path', () => {
  it('is part of the path, unless it is encoded as part of an id', () => {
    expect(matchRoute('GET', '/account/x%2F')?.params).toEqual({ account_id: 'x/' });
    for (const path of ['/account/x/', '/account/', '/account//', '/account/x//', '/account/x%2F/'])
      expect(matchRoute('GET', path), path).toBeNull();
  });
});

describe('a path with a fixed word that can be an id', () => {
  it('has a row for requests without a body', () => {
    const matched = matchRoute('POST', '/list/x/account/move')!;
    expect(matched.route.operation).toBe('list.move');
    expect(matched.withoutBody?.route.operation).toBe('list.add_account');
    expect(matched.withoutBody?.params).toEqual({ list_name: 'x', account_id: 'move' });
    expect(matchRoute('POST', '/list/x/account/y')?.withoutBody).toBeNull();
  });
});
