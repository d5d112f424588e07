import { GraphQLEnumType, GraphQLError, type GraphQLSchema } from 'graphql';

/** Maximum number of values that an error lists. */
const MAX_LISTED = 30;

/**
 * Adds the accepted values to the errors of enums, in place of suggestions. A profile without suggestions hides the schema,
 * and its errors list no values.
 */
export function listAcceptedValues(schema: GraphQLSchema): GraphQLSchema {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!(type instanceof GraphQLEnumType) || type.name.startsWith('__')) continue;
    const names = type.getValues().map(({ name }) => name);
    if (names.length <= MAX_LISTED) withHint(type, ` Accepted values: ${names.join(', ')}.`);
  }
  return schema;
}

function withHint(type: GraphQLEnumType, hint: string): void {
  const { parseValue, parseLiteral } = type;
  type.parseValue = (value, isClosed) =>
    isClosed ? parseValue.call(type, value, true) : hinted(hint, () => parseValue.call(type, value, true));
  type.parseLiteral = (node, variables, isClosed) =>
    isClosed
      ? parseLiteral.call(type, node, variables, true)
      : hinted(hint, () => parseLiteral.call(type, node, variables, true));
}

function hinted<Value>(hint: string, parse: () => Value): Value {
  try {
    return parse();
  } catch (error) {
    if (!(error instanceof GraphQLError)) throw error;
    throw new GraphQLError(error.message + hint, { nodes: error.nodes });
  }
}
