import { buildSchema, type GraphQLObjectType, type GraphQLSchema } from 'graphql';
import type { RestForm } from './rest-form.ts';

/** A schema of SDL whose fields declare forms on REST, as the builder declares them. */
export function schemaWithForms(sdl: string, forms: Readonly<Record<string, RestForm>>): GraphQLSchema {
  const schema = buildSchema(sdl);
  for (const [place, rest] of Object.entries(forms)) {
    const [type, field] = place.split('.') as [string, string];
    const declared = (schema.getType(type) as GraphQLObjectType).getFields()[field]!;
    declared.extensions = { pothosOptions: { rest } };
  }
  return schema;
}
