import type { Bridge, Component } from './identity-groups.ts';

/** A group that is attached to the tree of another one: at its account `entry`, below `parentId`. */
export type AttachedGroup = { readonly entry: string; readonly parentId: string };

export type Tree = {
  /** The account above each single account; the root is above itself. */
  readonly parents: Map<string, string>;
  /** Whole groups below others. */
  readonly attached: Map<string, AttachedGroup>;
};

/** Bridges out of each node: a single account, or a whole group. */
export type Adjacency = ReadonlyMap<string, readonly { readonly from: string; readonly to: string }[]>;
export type NodeOf = (accountId: string) => string;

export function adjacencyOf(bridges: readonly Bridge[], nodeOf: NodeOf): Adjacency {
  const outOf = new Map<string, { from: string; to: string }[]>();
  const add = (from: string, to: string) => {
    const edges = outOf.get(nodeOf(from));
    if (edges) edges.push({ from, to });
    else outOf.set(nodeOf(from), [{ from, to }]);
  };
  for (const { a, b } of bridges) {
    add(a, b);
    add(b, a);
  }
  return outOf;
}

/**
 * A tree of bridges that connects a component: that of its largest whole group, to which the rest is attached, or a new one
 * from its first account.
 */
export function connect({ accounts, wholes }: Component, outOf: Adjacency, nodeOf: NodeOf): Tree {
  const [largest] = [...wholes].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1));
  const root = largest?.[0] ?? accounts[0]!;
  const parents = new Map<string, string>(largest ? [] : [[root, root]]);
  const attached = new Map<string, AttachedGroup>();
  const reached = new Set([root]);
  for (const node of reached) {
    for (const { from, to } of outOf.get(node) ?? []) {
      const next = nodeOf(to);
      if (reached.has(next)) continue;
      // A set is iterated in the order of insertion, with what is added meanwhile: breadth first.
      reached.add(next);
      if (next === to) parents.set(to, from);
      else attached.set(next, { entry: to, parentId: from });
    }
  }
  return { parents, attached };
}

/** The accounts above those of a group after it was attached: the way from its entry to its former root is turned round. */
export function reroot(
  parentOf: ReadonlyMap<string, string>,
  { entry, parentId }: AttachedGroup,
): Map<string, string> {
  const parents = new Map(parentOf);
  let above = parentId;
  for (let account = entry; ; ) {
    const before = parents.get(account)!;
    parents.set(account, above);
    if (before === account) return parents;
    above = account;
    account = before;
  }
}
