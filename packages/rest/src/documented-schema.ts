import { MapperKind, mapSchema } from '@graphql-tools/utils';
import { GraphQLEnumType, type GraphQLEnumValueConfigMap, type GraphQLSchema } from 'graphql';

const NAME = /^[_A-Za-z][_0-9A-Za-z]*$/;

/**
 * The schema that documents of REST are executed on. It is the public schema, but for the values of enums: REST reads
 * and writes the words that the interface documents, such as Real, where GraphQL has REAL. These words are the internal
 * values of the enums, so that resolvers need no other. The extension publicName is the name in the public schema.
 */
export function documentedSchema(schema: GraphQLSchema): GraphQLSchema {
  return mapSchema(schema, { [MapperKind.ENUM_TYPE]: documentedWords });
}

function documentedWords(type: GraphQLEnumType): GraphQLEnumType {
  const values: GraphQLEnumValueConfigMap = {};
  for (const { name, value, description } of type.getValues()) {
    const word = typeof value === 'string' && NAME.test(value) ? value : name;
    values[word] = { value, description, extensions: { publicName: name } };
  }
  return new GraphQLEnumType({ ...type.toConfig(), values });
}
