import { inlineFragments } from '@vouchgraph/rest/internals/inline-fragments';
import {
  type DocumentNode,
  type GraphQLSchema,
  type GraphQLType,
  getNamedType,
  isEnumType,
  isInputObjectType,
  Kind,
  type OperationDefinitionNode,
  TypeInfo,
  typeFromAST,
  visit,
  visitWithTypeInfo,
} from 'graphql';
import { schema } from '../../src/graphql/schema.ts';
import { restSchema } from '../../src/http/rest/rest-schema.ts';
import type { Body } from './gateway.ts';

/* REST has its own words for enum values: converts data and variables of its documents in both directions. */

function translated(value: Body, name: string, from: GraphQLSchema, to: GraphQLSchema): Body {
  const [read, written] = [from.getType(name), to.getType(name)];
  if (Array.isArray(value)) return value.map((item) => translated(item, name, from, to));
  if (!isEnumType(read) || !isEnumType(written) || value == null) return value;
  return written.serialize(read.parseValue(value));
}

/** Data of a GraphQL response with the words of REST. Keys are those of the document. */
export function inRestWords(document: DocumentNode, data: Body): Body {
  const copy = structuredClone(data);
  const path: string[] = [];
  const info = new TypeInfo(restSchema);
  const replaceAt = (object: Body, [key, ...rest]: readonly string[], type: GraphQLType): void => {
    if (Array.isArray(object)) {
      for (const item of object) replaceAt(item, [key!, ...rest], type);
    } else if (object?.[key!] != null) {
      if (rest.length > 0) replaceAt(object[key!], rest, type);
      else object[key!] = translated(object[key!], getNamedType(type).name, schema, restSchema);
    }
  };
  visit(
    inlineFragments(document),
    visitWithTypeInfo(info, {
      Field: {
        enter({ alias, name }) {
          path.push((alias ?? name).value);
          const type = info.getType();
          if (type && isEnumType(getNamedType(type))) replaceAt(copy, path, type);
        },
        leave: () => void path.pop(),
      },
    }),
  );
  return copy;
}

/** Variables of a document with the words of GraphQL. */
export function inGraphqlWords(document: DocumentNode, variables: Body): Body {
  const words = (value: Body, type: GraphQLType): Body => {
    const named = getNamedType(type);
    if (Array.isArray(value)) return value.map((item) => words(item, type));
    if (!isInputObjectType(named) || typeof value !== 'object' || value === null)
      return translated(value, named.name, restSchema, schema);
    const fields = named.getFields();
    return Object.fromEntries(
      Object.entries(value).map(([key, item]) => [key, fields[key] ? words(item, fields[key].type) : item]),
    );
  };
  const { variableDefinitions = [] } = document.definitions.find(
    ({ kind }) => kind === Kind.OPERATION_DEFINITION,
  ) as OperationDefinitionNode;
  return Object.fromEntries(
    variableDefinitions.map(({ variable: { name }, type }) => [
      name.value,
      words(variables[name.value], typeFromAST(restSchema, type)!),
    ]),
  );
}
