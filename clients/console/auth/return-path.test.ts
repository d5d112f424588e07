import { describe, expect, it } from 'vitest';
import { returnPath } from './return-path.ts';

const ORIGIN = 'https://gateway.example';

describe('the path after the sign-in', () => {
  it('is the page of the console that requested it', () => {
    expect(returnPath('/console/account?project=1', ORIGIN)).toBe('/console/account?project=1');
    expect(returnPath('/console', ORIGIN)).toBe('/console');
    expect(returnPath('/console/invitation', ORIGIN)).toBe('/console/invitation');
  });

  it.each([
    undefined,
    '',
    '/graphql',
    '/consoles',
    '/console/sign-in?back=/console',
    '//evil.example/console',
    'https://evil.example/console',
    'javascript:alert(1)',
    '/console/../graphql',
    '\\\\evil.example/console',
  ])('is the first page for %s', (wanted) => {
    expect(returnPath(wanted, ORIGIN)).toBe('/console');
  });
});
