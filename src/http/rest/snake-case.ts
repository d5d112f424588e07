import { type DocumentNode, Kind, visit } from 'graphql';
import { snakeCase } from '../../platform/letter-case.ts';

/**
 * The same document with an alias in snake_case for every field that has no alias. An alias of its own is an exception:
 * the documented key is not the name of the field. Scalars of JSON contain no fields, so that their keys stay as they are.
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
