import { getMappedArgumentValues } from '@pothos/core';
import {
  type FieldNode,
  type GraphQLField,
  type GraphQLNamedType,
  type GraphQLOutputType,
  type GraphQLResolveInfo,
  getNamedType,
  getNullableType,
  isInterfaceType,
  isListType,
  isObjectType,
  Kind,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql';
import { LIST_MULTIPLIER } from './query-limits.ts';

/*
 * Which field of a document costs most. The complexity plugin counts the cost of a document and compares it with the
 * limit; it does not attribute cost to fields. This counts the same way, only after a document was refused.
 */

export type CostInfo = Pick<GraphQLResolveInfo, 'schema' | 'fragments' | 'variableValues' | 'operation'>;
type Field = GraphQLField<unknown, unknown>;
type Cost = { own: number; multiplier: number };

type Count = {
  readonly info: CostInfo;
  /** Costs of selection sets, so that a fragment is counted once per type. */
  readonly known: Map<SelectionSetNode, Map<GraphQLNamedType, number>>;
};

/** A field that causes less than this share of its parent's cost is one of several alike. */
const MAIN_SHARE = 0.5;

/**
 * Path of the field with the highest cost, by response names, such as `accounts.edges.node.linkedAccounts`: the deepest
 * page or expensive field on the most expensive path. If the fields of a parent have equal costs, the path is that of the
 * parent.
 */
export function costliestField(info: CostInfo): string {
  const count: Count = { info, known: new Map() };
  const root = info.schema.getRootType(info.operation.operation)!;
  const way = wayOf(count, info.operation.selectionSet, root);
  const last = way.findLastIndex(({ isCostly }) => isCostly);
  return way
    .slice(0, Math.max(last, 0) + 1)
    .map(({ name }) => name)
    .join('.');
}

/** Cost of the whole document, as the complexity plugin counts it. */
export function totalCost(info: CostInfo): number {
  const root = info.schema.getRootType(info.operation.operation)!;
  return costOfSet({ info, known: new Map() }, info.operation.selectionSet, root);
}

/** Names of the fields from the root on, each the costliest of its parent, until none stands out. */
function wayOf(count: Count, root: SelectionSetNode, rootType: GraphQLNamedType) {
  const way: { name: string; isCostly: boolean }[] = [];
  let set: SelectionSetNode | undefined = root;
  let type = rootType;
  while (set) {
    const costliest = costliestOf(count, set, type);
    if (!costliest) break;
    const { selection, cost } = costliest;
    const isMain = cost >= MAIN_SHARE * costOfSet(count, set, type);
    if (way.length > 0 && !isMain) break;
    if (selection.kind === Kind.FIELD) {
      const field = fieldOf(type, selection);
      if (!field) break;
      const { own, multiplier } = costOf(count, field, selection);
      const sub: number = selection.selectionSet
        ? costOfSet(count, selection.selectionSet, getNamedType(field.type))
        : 0;
      const isItself = own > Math.max(multiplier * sub, 1);
      way.push({
        name: selection.alias?.value ?? selection.name.value,
        isCostly: multiplier > 1 || isItself,
      });
      if (isItself) break;
      type = getNamedType(field.type);
      set = selection.selectionSet;
    } else [set, type] = fragmentOf(count, selection, type);
  }
  return way;
}

function costliestOf(count: Count, { selections }: SelectionSetNode, type: GraphQLNamedType) {
  let costliest: { selection: SelectionNode; cost: number } | undefined;
  for (const selection of selections) {
    const cost = costOfSelection(count, selection, type);
    if (!costliest || cost > costliest.cost) costliest = { selection, cost };
  }
  return costliest;
}

function costOfSet(count: Count, set: SelectionSetNode, type: GraphQLNamedType): number {
  const ofSet = count.known.get(set) ?? new Map<GraphQLNamedType, number>();
  count.known.set(set, ofSet);
  let cost = ofSet.get(type);
  if (cost === undefined) {
    cost = set.selections.reduce((sum, selection) => sum + costOfSelection(count, selection, type), 0);
    ofSet.set(type, cost);
  }
  return cost;
}

function costOfSelection(count: Count, selection: SelectionNode, type: GraphQLNamedType): number {
  if (selection.kind !== Kind.FIELD) return costOfSet(count, ...fragmentOf(count, selection, type));
  const field = fieldOf(type, selection);
  if (!field) return 1;
  const { own, multiplier } = costOf(count, field, selection);
  if (!selection.selectionSet) return own;
  return own + multiplier * costOfSet(count, selection.selectionSet, getNamedType(field.type));
}

function fragmentOf(
  { info }: Count,
  selection: Exclude<SelectionNode, FieldNode>,
  type: GraphQLNamedType,
): [SelectionSetNode, GraphQLNamedType] {
  const fragment =
    selection.kind === Kind.FRAGMENT_SPREAD ? info.fragments[selection.name.value]! : selection;
  const name = fragment.typeCondition?.name.value;
  return [fragment.selectionSet, (name && info.schema.getType(name)) || type];
}

function fieldOf(type: GraphQLNamedType, { name }: FieldNode): Field | undefined {
  return isObjectType(type) || isInterfaceType(type) ? type.getFields()[name.value] : undefined;
}

/** Complexity of a field in the schema: a number, its cost with the number of its entries, or a function of its arguments. */
function costOf({ info }: Count, field: Field, selection: FieldNode): Cost {
  let complexity = field.extensions.complexity;
  if (typeof complexity === 'function') {
    // No field of the schema uses the context.
    complexity = complexity(getMappedArgumentValues(field as never, selection, {}, info as never), {}, field);
  }
  const { field: own, multiplier } = (
    typeof complexity === 'number' ? { field: complexity } : (complexity ?? {})
  ) as {
    field?: number;
    multiplier?: number;
  };
  return { own: own ?? 1, multiplier: Math.max(multiplier ?? (isList(field.type) ? LIST_MULTIPLIER : 1), 0) };
}

function isList(type: GraphQLOutputType): boolean {
  return isListType(getNullableType(type));
}
