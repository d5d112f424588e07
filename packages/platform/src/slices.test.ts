import { expect, it } from 'vitest';
import { inSlices } from './slices.ts';

it('resolves a list in slices, with other work between them', async () => {
  const items = Array.from({ length: 10 }, (_, index) => index);
  const order: string[] = [];
  const done = Promise.all(inSlices(items, 4).map(async (item) => order.push(String(await item))));
  let isDone = false;
  const otherWork = (async () => {
    while (!isDone) {
      order.push('other');
      await new Promise((resolve) => setImmediate(resolve));
    }
  })();
  await done;
  isDone = true;
  await otherWork;
  expect(order.filter((entry) => entry !== 'other')).toEqual(items.map(String));
  expect(order.slice(order.indexOf('3'), order.indexOf('4'))).toContain('other');
  expect(order.slice(order.indexOf('7'), order.indexOf('8'))).toContain('other');
});
