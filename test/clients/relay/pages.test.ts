import type { Variables } from 'relay-runtime';
import { expect, it } from 'vitest';
import { collectWarnings } from '../support/sandbox.ts';
import { type Connection, load, loadMore, makeEnvironment, read } from './environment.ts';
import { LISTS, type List } from './lists.ts';

const cases = Object.entries(LISTS).map(([name, list]) => ({ name, list }));

/** A list in a separate environment: the object with the fragment, and the connection in the store. */
async function open({ query, fragment, owner, connection }: List, variables: Variables) {
  const { environment, requests } = makeEnvironment();
  const data = await load(environment, query, variables);
  const reference = owner === null ? data : data[owner]!;
  const page = (of: object = reference) =>
    read(environment, fragment, of).data[connection] as Connection<{ id: string }>;
  const ids = (of?: object) => page(of).edges.map(({ node }) => node.id);
  return { environment, requests, reference, page, ids };
}

it.each(cases)('pages $name forward and backward', async ({ list }) => {
  const warnings = collectWarnings();
  const selected = await list.prepare();
  const forward = await open(list, { ...selected, first: 2 });
  expect(forward.ids()).toHaveLength(2);
  await loadMore(forward.environment, list.fragment, forward.reference, 'forward', 2);
  expect(forward.ids()).toHaveLength(4);
  expect(forward.page().pageInfo.hasNextPage).toBe(true);
  await loadMore(forward.environment, list.fragment, forward.reference, 'forward', 2);
  expect(forward.page().pageInfo.hasNextPage).toBe(false);
  const all = forward.ids();
  expect(new Set(all).size).toBe(5);

  const backward = await open(list, { ...selected, last: 2 });
  expect(backward.ids()).toEqual(all.slice(-2));
  await loadMore(backward.environment, list.fragment, backward.reference, 'backward', 2);
  expect(backward.ids()).toEqual(all.slice(-4));
  expect(backward.page().pageInfo.hasPreviousPage).toBe(true);
  await loadMore(backward.environment, list.fragment, backward.reference, 'backward', 2);
  expect(backward.ids()).toEqual(all);
  expect(backward.page().pageInfo.hasPreviousPage).toBe(false);
  expect(warnings).toEqual([]);
});

it.each(cases)('refetches $name with another count', async ({ list }) => {
  const warnings = collectWarnings();
  const selected = await list.prepare();
  const { environment, requests, reference, ids } = await open(list, { ...selected, first: 2 });
  const two = ids();
  // Objects with an identity are refetched by node(id:), in a query whose only type name is in its fragment.
  const key = list.owner === null ? selected : { id: (reference as { id: string }).id };
  const data = await load(environment, list.pageQuery, { ...key, first: 4 });
  expect(requests.at(-1)).toMatchObject({ ...key, first: 4 });
  const four = ids(list.owner === null ? data : data.node!);
  expect(four).toHaveLength(4);
  expect(four.slice(0, 2)).toEqual(two);
  expect(warnings).toEqual([]);
});
