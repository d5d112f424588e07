import { expect, it } from 'vitest';
import { routeMatcher } from './match-route.ts';

const match = routeMatcher([
  { method: 'POST', path: '/list/move', requiresBody: true },
  { method: 'POST', path: '/list/{name}' },
  { method: 'GET', path: '/list/{name}' },
  { method: 'GET', path: '/token', creates: true },
]);

it('a path matches its segments, decoded', () => {
  expect(match('GET', '/list/a%2Fb')?.params).toEqual({ name: 'a/b' });
  expect(match('HEAD', '/list/a')?.route.path).toBe('/list/{name}');
  for (const path of ['/list', '/list/', '/list/a/', '/list/%ff', '/other'])
    expect(match('GET', path)).toBeNull();
});

it('a row that requires a body is followed by the row for requests without one', () => {
  const matched = match('POST', '/list/move');
  expect(matched?.route.path).toBe('/list/move');
  expect(matched?.withoutBody).toMatchObject({ route: { path: '/list/{name}' }, params: { name: 'move' } });
  expect(match('POST', '/list/a')?.withoutBody).toBeNull();
});

it('a wrong method is a 405 with the methods of the path', () => {
  expect(() => match('PUT', '/list/a')).toThrow(
    expect.objectContaining({ status: 405, headers: { allow: 'GET, HEAD, OPTIONS, POST' } }),
  );
  expect(() => match('HEAD', '/token')).toThrow(
    expect.objectContaining({ headers: { allow: 'GET, OPTIONS' } }),
  );
});
