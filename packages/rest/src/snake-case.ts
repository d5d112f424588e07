import { snakeCase } from '@vouchgraph/platform/letter-case';
import { type DocumentNode, Kind, visit } from 'graphql';

/**
 * The same document with an alias in snake_case for every field without an alias. An explicit alias is an exception: the
 * documented key is not the name of the field. Scalars of JSON contain no fields, so that their keys are unchanged.
 */
export function withSnakeCaseAliases(document: DocumentNode): DocumentNode {
  return visit(document, {
    Field(field) {
      const value = snakeCase(field.name.value);
      if (field.alias || value === field.name.value) return undefined;
      return { ...field, alias: { kind: Kind.NAME, value } };
    },
  });
}
