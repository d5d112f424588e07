import { expect, test } from 'vitest';
import { createSlots } from './slots.ts';

test('slots are assigned in the order of the callers', async () => {
  const slots = createSlots(1, 60_000);
  const order: string[] = [];
  expect(await slots.take()).toBe(true);
  const waiting = ['a', 'b'].map(async (name) => {
    expect(await slots.take()).toBe(true);
    order.push(name);
    slots.release();
  });
  slots.release();
  await Promise.all(waiting);
  expect(order).toEqual(['a', 'b']);
  // All slots are free again.
  expect(await slots.take()).toBe(true);
});

test('a caller that times out gets no slot and takes no later one', async () => {
  const slots = createSlots(1, 5);
  await slots.take();
  expect(await slots.take()).toBe(false);
  slots.release();
  expect(await slots.take()).toBe(true);
});

test('closing ends all waits', async () => {
  const slots = createSlots(1, 60_000);
  await slots.take();
  const waiting = slots.take();
  slots.close();
  expect(await waiting).toBe(false);
  expect(await slots.take()).toBe(false);
});
