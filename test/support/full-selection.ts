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

/**
 * The selection of all fields that a field leads to: each object type is selected once, where it is found first. Fields with
 * required arguments are left out.
 */
export function fullSelection(schema: GraphQLSchema, field: GraphQLField<unknown, unknown>): string {
  const seen = new Set<string>();
  return selectionOf(getNamedType(field.type));

  function selectionOf(type: GraphQLNamedType): string {
    if (isLeafType(type)) return '';
    if (isInterfaceType(type) || isUnionType(type)) {
      const parts = schema.getPossibleTypes(type).map((each) => {
        const fields = fieldsOf(each);
        return fields === '' ? '' : `... on ${each.name} { ${fields} }`;
      });
      return `{ __typename ${parts.join(' ')} }`;
    }
    return isObjectType(type) ? `{ __typename ${fieldsOf(type)} }` : '';
  }

  function fieldsOf(type: GraphQLObjectType): string {
    if (seen.has(type.name)) return '';
    seen.add(type.name);
    return Object.values(type.getFields())
      .filter(({ args }) => !args.some(isRequiredArgument))
      .map(({ name, type: inner }) => {
        const selection = selectionOf(getNamedType(inner));
        // Fields of several types of an interface have one name and different types.
        return `${type.name}_${name}: ${name} ${selection}`;
      })
      .join(' ');
  }
}
