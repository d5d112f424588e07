import type { Bridge, Component } from './identity-groups.ts';

/** A group attached to the tree of another group: its account `entry` becomes a child of `parentId`. */
export type AttachedGroup = { readonly entry: string; readonly parentId: string };

export type Tree = {
  /** Parent of each individual account; the root is its own parent. */
  readonly parents: Map<string, string>;
  /** Whole groups attached to others. */
  readonly attached: Map<string, AttachedGroup>;
};

/** Bridges of each node: an individual account or a whole group. */
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
 * A spanning tree of a component: the tree of its largest whole group with the rest attached, or a new tree from its first
 * account.
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
      // A set is iterated in insertion order, elements added meanwhile included: a breadth-first search.
      reached.add(next);
      if (next === to) parents.set(to, from);
      else attached.set(next, { entry: to, parentId: from });
    }
  }
  return { parents, attached };
}

/** Parents of the accounts of a group after it is attached: the path from its entry to its former root is reversed. */
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
