import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { componentsOf, planIdentities } from './identity-groups.ts';

test('components contain the accounts that bridges connect, for chains of any length', () => {
  const bridges = [
    { a: 'a', b: 'b' },
    { a: 'x', b: 'y' },
    { a: 'c', b: 'b' },
    { a: 'a', b: 'c' },
  ];
  expect(componentsOf(bridges).sort()).toEqual([
    ['a', 'b', 'c'],
    ['x', 'y'],
  ]);
  const chain = Array.from({ length: 20_000 }, (_, index) => ({ a: `n${index}`, b: `n${index + 1}` }));
  expect(componentsOf(chain)).toHaveLength(1);
  expect(componentsOf([])).toEqual([]);
});

/** Groups as text, one letter an account: `{ g1: 'abc' }`. */
function plan(components: readonly string[], before: Record<string, string>) {
  const memberships = new Map(
    Object.entries(before).flatMap(([group, accounts]) =>
      [...accounts].map((each) => [each, group] as const),
    ),
  );
  const sizes = new Map(Object.entries(before).map(([group, accounts]) => [group, accounts.length]));
  let made = 0;
  const planned = planIdentities(
    components.map((each) => ({ accounts: [...each], wholes: new Map() })),
    memberships,
    sizes,
    () => `new${++made}`,
  );
  for (const { accountId, groupId } of planned.joined) memberships.set(accountId, groupId);
  for (const accountId of planned.removed) memberships.delete(accountId);
  const after: Record<string, string> = {};
  for (const [accountId, group] of [...memberships].sort()) after[group] = (after[group] ?? '') + accountId;
  const changes = planned.changes.map(({ action, groupId, otherGroupId }) =>
    [action, groupId, otherGroupId].filter((each) => each !== null).join(' '),
  );
  return { after, changes, planned };
}

describe('identities', () => {
  test.each([
    ['are created', ['ab'], {}, { new1: 'ab' }, ['created new1']],
    ['stay unchanged', ['ab'], { g: 'ab' }, { g: 'ab' }, []],
    ['grow', ['abc'], { g: 'ab' }, { g: 'abc' }, ['grown g']],
    ['shrink', ['ab'], { g: 'abc' }, { g: 'ab' }, ['shrunk g']],
    [
      'merge into the larger group',
      ['abcde'],
      { small: 'ab', large: 'cde' },
      { large: 'abcde' },
      ['merged large small'],
    ],
    [
      'merge into the older of two groups of equal size',
      ['abcd'],
      { g2: 'ab', g1: 'cd' },
      { g1: 'abcd' },
      ['merged g1 g2'],
    ],
    [
      'keep the id in the largest part',
      ['ab', 'cde'],
      { g: 'abcde' },
      { g: 'cde', new1: 'ab' },
      ['shrunk g', 'split new1 g'],
    ],
    ['dissolve', [], { g: 'ab' }, {}, ['dissolved g']],
    [
      'split and merge in one change: the part joins the group of most of its accounts',
      ['abxyz', 'cd'],
      { g: 'abcd', h: 'xyz' },
      { h: 'abxyz', g: 'cd' },
      ['grown h', 'shrunk g'],
    ],
  ] as const)('%s', (_what, components, before, after, changes) => {
    const made = plan(components, before);
    expect(made.after).toEqual(after);
    expect(made.changes).toEqual(changes);
  });

  test('for any components and previous groups, each component has its own group with the correct size', () => {
    const letters = [...'abcdefghij'];
    const partition = fc.array(fc.integer({ min: 0, max: 4 }), { minLength: 10, maxLength: 10 });
    fc.assert(
      fc.property(partition, partition, (now, past) => {
        const groupsOf = (numbers: readonly number[]) => Map.groupBy(letters, (_, index) => numbers[index]!);
        const components = [...groupsOf(now)]
          .filter(([number, all]) => number > 0 && all.length > 1)
          .map(([, all]) => all.join(''));
        const before = Object.fromEntries(
          [...groupsOf(past)]
            .filter(([number]) => number > 0)
            .map(([number, all]) => [`g${number}`, all.join('')]),
        );
        const { after, planned } = plan(components, before);
        expect(Object.values(after).sort()).toEqual([...components].sort());
        for (const { groupId, size } of planned.groups) expect(after[groupId]).toHaveLength(size);
        for (const groupId of planned.dissolved) expect(after).not.toHaveProperty(groupId);
      }),
    );
  });
});
