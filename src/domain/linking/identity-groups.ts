/** Two accounts that are one identity. */
export type Bridge = { readonly a: string; readonly b: string };

/** The connected components of the bridges, each with its accounts in order, two or more of them. */
export function componentsOf(bridges: readonly Bridge[]): string[][] {
  const parents = new Map<string, string>();
  const rootOf = (id: string): string => {
    let root = id;
    while (parents.get(root)! !== root) root = parents.get(root)!;
    for (let each = id; each !== root; ) {
      const next = parents.get(each)!;
      parents.set(each, root);
      each = next;
    }
    return root;
  };
  for (const { a, b } of bridges) {
    for (const id of [a, b]) if (!parents.has(id)) parents.set(id, id);
    parents.set(rootOf(a), rootOf(b));
  }
  return [...Map.groupBy(parents.keys(), rootOf).values()].map((ids) => ids.sort());
}

export const IDENTITY_ACTIONS = ['created', 'grown', 'shrunk', 'merged', 'split', 'dissolved'] as const;
export type IdentityAction = (typeof IDENTITY_ACTIONS)[number];

/** What became of a group; `otherGroupId`: the one that was merged into it, or that it was split from. */
export type IdentityChange = {
  readonly groupId: string;
  readonly action: IdentityAction;
  readonly otherGroupId: string | null;
  /** Its accounts afterwards. */
  readonly size: number;
};

export type IdentityPlan = {
  /** Accounts that get a group, or another one. */
  readonly joined: { accountId: string; groupId: string }[];
  /** Accounts that have none any more. */
  readonly left: string[];
  readonly groups: { groupId: string; size: number }[];
  readonly dissolved: string[];
  readonly changes: IdentityChange[];
};

/**
 * Gives each component its group. Where groups met, the id of the one with most accounts there survives (of equal ones
 * the older); where one came apart, its largest part keeps the id, and the others get new ones. `memberships` are those
 * of before, of every account of every group that is concerned; `sizes` what each group was told to have, accounts that
 * were erased since included.
 */
export function planIdentities(
  components: readonly (readonly string[])[],
  memberships: ReadonlyMap<string, string>,
  sizes: ReadonlyMap<string, number>,
  newGroupId: () => string,
): IdentityPlan {
  const present = countBy(memberships.values());
  const plan = {
    joined: [] as { accountId: string; groupId: string }[],
    left: [] as string[],
    groups: [] as { groupId: string; size: number }[],
    dissolved: [] as string[],
    changes: [] as IdentityChange[],
  };
  const taken = new Set<string>();
  const settled = new Set<string>();
  const largestFirst = components.toSorted((a, b) => b.length - a.length || (a[0]! < b[0]! ? -1 : 1));
  for (const component of largestFirst) {
    const size = component.length;
    const here = countBy(component.flatMap((accountId) => memberships.get(accountId) ?? []));
    const ranked = [...here].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1)).map(([id]) => id);
    const kept = ranked.find((id) => !taken.has(id));
    const groupId = kept ?? newGroupId();
    taken.add(groupId);
    for (const accountId of component) {
      settled.add(accountId);
      if (memberships.get(accountId) !== groupId) plan.joined.push({ accountId, groupId });
    }
    const before = kept === undefined ? 0 : (sizes.get(kept) ?? 0);
    const isUnchanged = kept !== undefined && before === size && ranked.length === 1;
    if (!isUnchanged) plan.groups.push({ groupId, size });
    const change = (action: IdentityAction, otherGroupId: string | null = null) =>
      plan.changes.push({ groupId, action, otherGroupId, size });
    if (kept === undefined) {
      if (ranked[0] === undefined) change('created');
      else change('split', ranked[0]);
    } else {
      const others = ranked.filter((id) => id !== kept && here.get(id) === present.get(id));
      for (const other of others) change('merged', other);
      if (others.length === 0 && size > before) change('grown');
      if (others.length === 0 && size < before) change('shrunk');
    }
  }
  plan.left.push(...[...memberships.keys()].filter((accountId) => !settled.has(accountId)));
  for (const groupId of sizes.keys()) {
    if (taken.has(groupId)) continue;
    plan.dissolved.push(groupId);
    const isMerged = plan.changes.some(
      ({ action, otherGroupId }) => action === 'merged' && otherGroupId === groupId,
    );
    if (!isMerged) plan.changes.push({ groupId, action: 'dissolved', otherGroupId: null, size: 0 });
  }
  return plan;
}

function countBy(values: Iterable<string>): Map<string, number> {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return counts;
}
