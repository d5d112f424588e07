import {
  type FieldNode,
  type GraphQLObjectType,
  type GraphQLResolveInfo,
  getArgumentValues,
  getNamedType,
  Kind,
  type SelectionSetNode,
} from 'graphql';

/** The fields of this name that a query selects of the object, also by fragments; without those under a condition. */
export function fieldsOf(info: GraphQLResolveInfo, name: string): FieldNode[] {
  const found: FieldNode[] = [];
  for (const node of info.fieldNodes) collectFields(node.selectionSet, name, info, found);
  return found;
}

/** Arguments of the field of this name; null unless a query selects it once and without a condition. */
export function argumentsOf<Args>(info: GraphQLResolveInfo, name: string): Args | null {
  const [node, ...more] = fieldsOf(info, name);
  if (!node || more.length > 0) return null;
  const field = (getNamedType(info.returnType) as GraphQLObjectType).getFields()[name]!;
  return getArgumentValues(field, node, info.variableValues) as Args;
}

function collectFields(
  selections: SelectionSetNode | undefined,
  name: string,
  info: GraphQLResolveInfo,
  found: FieldNode[],
): void {
  for (const selection of selections?.selections ?? []) {
    if (selection.directives && selection.directives.length > 0) continue;
    if (selection.kind === Kind.FIELD) {
      if (selection.name.value === name) found.push(selection);
    } else {
      const { selectionSet } =
        selection.kind === Kind.INLINE_FRAGMENT ? selection : info.fragments[selection.name.value]!;
      collectFields(selectionSet, name, info, found);
    }
  }
}
