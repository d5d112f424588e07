import { expect, it } from 'vitest';
import { countOpenSockets } from './open-sockets.ts';

it('a key has at most as many open sockets as the limit, and a closed one makes room', () => {
  const sockets = countOpenSockets(2);
  sockets.add('one');
  sockets.add('one');
  expect(() => sockets.add('one')).toThrow(expect.objectContaining({ status: 429 }));
  sockets.add('other');
  sockets.remove('one');
  sockets.add('one');
  expect(() => sockets.add('one')).toThrow(expect.objectContaining({ status: 429 }));
});

it('a place that is released twice is none more', () => {
  const sockets = countOpenSockets(1);
  sockets.remove('one');
  sockets.add('one');
  expect(() => sockets.add('one')).toThrow(expect.objectContaining({ status: 429 }));
});

it('0 is no limit', () => {
  const sockets = countOpenSockets(0);
  for (let count = 0; count < 1000; count++) sockets.add('one');
});
