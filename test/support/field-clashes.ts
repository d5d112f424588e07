import {
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  isAbstractType,
  isInterfaceType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql';

/** Fields of one name whose types a client cannot select together without an alias. */
export type FieldClash = {
  readonly field: string;
  /** `Type: field type` of all types that clash, in order. */
  readonly types: readonly string[];
  /** Whether the types differ only in `!`. */
  readonly onlyNull: boolean;
};

type Found = { types: Set<string>; onlyNull: boolean };

/**
 * The clashes of a schema: fields of one name, in types that one selection can reach by fragments, of which the rule
 * "fields can merge" of GraphQL refuses the selection. These are the possible types of an interface or union, and the
 * types of fields of one name in them, to any depth.
 */
export function fieldClashes(schema: GraphQLSchema): FieldClash[] {
  const found = new Map<string, Found>();
  const compared = new Set<string>();

  const compare = (one: GraphQLNamedType, other: GraphQLNamedType): void => {
    const pair = [one.name, other.name].sort().join(' ');
    if (one === other || compared.has(pair) || !hasFields(one) || !hasFields(other)) return;
    compared.add(pair);
    const others = other.getFields();
    for (const { name, type } of Object.values(one.getFields())) {
      const same = others[name]?.type;
      if (same && !canMerge(type, same)) {
        const clash = found.get(name) ?? { types: new Set(), onlyNull: true };
        clash.types.add(`${one.name}: ${type}`).add(`${other.name}: ${same}`);
        clash.onlyNull &&= canMerge(withoutNull(type), withoutNull(same));
        found.set(name, clash);
      }
      if (same) compare(getNamedType(type), getNamedType(same));
    }
  };

  for (const type of Object.values(schema.getTypeMap()).filter(isAbstractType)) {
    const possible = schema.getPossibleTypes(type);
    for (const [index, one] of possible.entries())
      for (const other of possible.slice(index + 1)) compare(one, other);
  }
  return [...found]
    .map(([field, { types, onlyNull }]) => ({ field, types: [...types].sort(), onlyNull }))
    .sort((a, b) => a.field.localeCompare(b.field));
}

const hasFields = (type: GraphQLNamedType): type is GraphQLObjectType =>
  isObjectType(type) || isInterfaceType(type);

/** Whether fields of both types may have one name in an answer; objects are compared by their own fields. */
function canMerge(one: GraphQLOutputType, other: GraphQLOutputType): boolean {
  if (isNonNullType(one) || isNonNullType(other))
    return isNonNullType(one) && isNonNullType(other) && canMerge(one.ofType, other.ofType);
  if (isListType(one) || isListType(other))
    return isListType(one) && isListType(other) && canMerge(one.ofType, other.ofType);
  return isLeafType(one) || isLeafType(other) ? one === other : true;
}

const withoutNull = (type: GraphQLOutputType): GraphQLOutputType =>
  isNonNullType(type) ? type.ofType : type;
