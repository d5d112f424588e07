import {
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  isInterfaceType,
  isLeafType,
  isObjectType,
  isRequiredArgument,
  isUnionType,
} from 'graphql';

/*
 * Selections of all fields that a root field leads to, in parts that stay below the limits of documents. Each object type is selected
 * once, where it is found with the fewest steps. Fields with required arguments are left out.
 */

/** The fields without objects of a type, and the steps that lead to it. */
export type SelectionPart = {
  readonly type: string;
  readonly path: readonly string[];
  readonly leaves: readonly string[];
};

/** Entries of a page in a selection. */
const PAGE = '(first: 3)';
/** Fields of a document: limits are on the tokens and on the cost. */
const MAX_LEAVES = 150;

const isFragment = (step: string) => step.startsWith('...');

/** The object types that a field leads to, in at most this number of steps. */
export function selectionParts(
  schema: GraphQLSchema,
  field: GraphQLField<unknown, unknown>,
  maxSteps: number,
): SelectionPart[] {
  const seen = new Set<string>();
  const parts: SelectionPart[] = [];
  const queue: { type: GraphQLNamedType; path: readonly string[] }[] = [
    { type: getNamedType(field.type), path: [] },
  ];
  for (const { type, path } of queue) {
    if (isInterfaceType(type) || isUnionType(type)) {
      for (const each of schema.getPossibleTypes(type))
        queue.push({ type: each, path: [...path, `... on ${each.name}`] });
    }
    if (!isObjectType(type) || seen.has(type.name)) continue;
    seen.add(type.name);
    const fields = Object.values(type.getFields()).filter(({ args }) => !args.some(isRequiredArgument));
    const leaves = fields.filter((each) => isLeafType(getNamedType(each.type)));
    parts.push({ type: type.name, path, leaves: leaves.map(({ name }) => name) });
    if (path.length >= maxSteps) continue;
    for (const each of fields)
      if (!leaves.includes(each))
        queue.push({ type: getNamedType(each.type), path: [...path, stepOf(each)] });
  }
  return parts;
}

function stepOf({ name, args }: ReturnType<GraphQLObjectType['getFields']>[string]): string {
  return args.some((arg) => arg.name === 'first') ? `${name}${PAGE}` : name;
}

/** Parts that fit into one document: of an interface or a union, one type, because fields of two can have one name. */
export function groupParts(parts: readonly SelectionPart[]): SelectionPart[][] {
  const groups: SelectionPart[][] = [];
  for (const part of parts) {
    const group = groups.find(
      (each) =>
        each.reduce((sum, { leaves }) => sum + leaves.length, part.leaves.length) <= MAX_LEAVES &&
        each.every((other) => isCompatible(other, part)),
    );
    if (group) group.push(part);
    else groups.push([part]);
  }
  return groups;
}

function isCompatible({ path: one }: SelectionPart, { path: other }: SelectionPart): boolean {
  const at = one.findIndex((step, index) => step !== other[index]);
  const [left, right] = [one[at], other[at]];
  return at < 0 || left === undefined || right === undefined || !(isFragment(left) && isFragment(right));
}

type Tree = { readonly leaves: Set<string>; readonly inner: Map<string, Tree> };

/** The selection of several parts; nothing without parts. */
export function printParts(parts: readonly SelectionPart[]): string {
  if (parts.length === 0) return '';
  const root: Tree = { leaves: new Set(), inner: new Map() };
  for (const { path, leaves } of parts) {
    let tree = root;
    for (const step of path) {
      const next = tree.inner.get(step) ?? { leaves: new Set(), inner: new Map() };
      tree.inner.set(step, next);
      tree = next;
    }
    for (const leaf of leaves) tree.leaves.add(leaf);
  }
  return print(root);
}

function print({ leaves, inner }: Tree): string {
  const parts = [...inner].map(([step, tree]) => `${step} ${print(tree)}`);
  return `{ ${['__typename', ...leaves, ...parts].join(' ')} }`;
}
