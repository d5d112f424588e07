/** A link that makes two accounts one identity. */
export type Bridge = { readonly a: string; readonly b: string };

/** Connected components of the bridges, each with its accounts sorted. */
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

/** Change of a group. `otherGroupId`: the group that was merged into it, or that it was split from. */
export type IdentityChange = {
  readonly groupId: string;
  readonly action: IdentityAction;
  readonly otherGroupId: string | null;
  /** Number of accounts after the change. */
  readonly size: number;
};

export type IdentityPlan = {
  /** Individual accounts that join a group, or move to another one. */
  readonly joined: { accountId: string; groupId: string }[];
  /** Whole groups that merge into another group. */
  readonly moved: { from: string; groupId: string }[];
  /** Accounts that leave their group without joining another. */
  readonly removed: string[];
  readonly groups: { groupId: string; size: number }[];
  readonly dissolved: string[];
  readonly changes: IdentityChange[];
  /** The group of each component. */
  readonly groupOf: ReadonlyMap<Component, string>;
};

/** A connected component: individual accounts, and whole groups with the number of their remaining accounts. */
export type Component = {
  readonly accounts: readonly string[];
  readonly wholes: ReadonlyMap<string, number>;
};

/**
 * Assigns a group to each component. When groups merge, the id of the group with most accounts in the component survives, on
 * a tie the older one. When a group splits, its largest part keeps the id, and the other parts get new ids. `memberships`:
 * previous groups of the individual accounts. `sizes`: stored sizes of all affected groups.
 */
export function planIdentities(
  components: readonly Component[],
  memberships: ReadonlyMap<string, string>,
  sizes: ReadonlyMap<string, number>,
  newGroupId: () => string,
): IdentityPlan {
  const parts = components.map((component) => partOf(component, memberships));
  parts.sort((a, b) => b.size - a.size || (a.name < b.name ? -1 : 1));
  const present = countBy(memberships.values());
  for (const { component } of parts)
    for (const [id, count] of component.wholes) present.set(id, (present.get(id) ?? 0) + count);
  const kept = keptIds(parts);
  const plan = {
    joined: [] as { accountId: string; groupId: string }[],
    moved: [] as { from: string; groupId: string }[],
    removed: [] as string[],
    groups: [] as { groupId: string; size: number }[],
    dissolved: [] as string[],
    changes: [] as IdentityChange[],
    groupOf: new Map<Component, string>(),
  };
  const placed = new Set<string>();
  for (const part of parts) {
    const { accounts, wholes } = part.component;
    const groupId = kept.get(part) ?? newGroupId();
    plan.groupOf.set(part.component, groupId);
    for (const accountId of accounts) {
      placed.add(accountId);
      if (memberships.get(accountId) !== groupId) plan.joined.push({ accountId, groupId });
    }
    for (const from of wholes.keys()) if (from !== groupId) plan.moved.push({ from, groupId });
    const before = sizes.get(kept.get(part) ?? '') ?? 0;
    const isUnchanged = kept.has(part) && before === part.size && part.here.size === 1;
    if (!isUnchanged) plan.groups.push({ groupId, size: part.size });
    plan.changes.push(...changesOf(part, kept.get(part), groupId, { before, present }));
  }
  plan.removed.push(...[...memberships.keys()].filter((accountId) => !placed.has(accountId)));
  const surviving = new Set(kept.values());
  const merged = new Set(
    plan.changes.flatMap(({ action, otherGroupId }) => (action === 'merged' ? otherGroupId! : [])),
  );
  for (const groupId of sizes.keys()) {
    if (surviving.has(groupId)) continue;
    plan.dissolved.push(groupId);
    if (!merged.has(groupId))
      plan.changes.push({ groupId, action: 'dissolved', otherGroupId: null, size: 0 });
  }
  return plan;
}

type Part = {
  readonly component: Component;
  readonly size: number;
  /** Tiebreaker between parts of equal size. */
  readonly name: string;
  /** Number of its accounts per previous group. */
  readonly here: ReadonlyMap<string, number>;
};

function partOf(component: Component, memberships: ReadonlyMap<string, string>): Part {
  const { accounts, wholes } = component;
  const here = countBy(accounts.flatMap((accountId) => memberships.get(accountId) ?? []));
  let size = accounts.length;
  for (const [id, count] of wholes) {
    here.set(id, (here.get(id) ?? 0) + count);
    size += count;
  }
  return { component, size, here, name: accounts[0] ?? [...wholes.keys()].sort()[0] ?? '' };
}

/** Assigns each group id to the part with most of its accounts, at most one id per part. */
function keptIds(parts: readonly Part[]): Map<Part, string> {
  const claims = parts.flatMap((part, order) =>
    [...part.here].map(([id, count]) => ({ part, order, id, count })),
  );
  claims.sort((a, b) => b.count - a.count || a.order - b.order || (a.id < b.id ? -1 : 1));
  const kept = new Map<Part, string>();
  const assigned = new Set<string>();
  for (const { part, id } of claims) {
    if (kept.has(part) || assigned.has(id)) continue;
    kept.set(part, id);
    assigned.add(id);
  }
  return kept;
}

/** Changes of the group that a part belongs to. */
function changesOf(
  { here, size }: Part,
  kept: string | undefined,
  groupId: string,
  { before, present }: { before: number; present: ReadonlyMap<string, number> },
): IdentityChange[] {
  const change = (action: IdentityAction, otherGroupId: string | null = null): IdentityChange => {
    return { groupId, action, otherGroupId, size };
  };
  const ranked = [...here].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1)).map(([id]) => id);
  if (kept === undefined) return [ranked[0] === undefined ? change('created') : change('split', ranked[0])];
  const others = ranked.filter((id) => id !== kept && here.get(id) === present.get(id));
  if (others.length > 0) return others.map((other) => change('merged', other));
  if (size === before) return [];
  return [change(size > before ? 'grown' : 'shrunk')];
}

function countBy(values: Iterable<string>): Map<string, number> {
  const counts = new Map<string, number>();
  for (const value of values) counts.set(value, (counts.get(value) ?? 0) + 1);
  return counts;
}
