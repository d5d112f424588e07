import type { KindOfKey, MaskKind } from '@vouchgraph/persons/masking';
import { type GraphQLField, type GraphQLSchema, getNamedType, isScalarType } from 'graphql';
import { declaredOf, declaredOfType, needsMask, objectTypes } from './declared-facts.ts';

/*
 * JSON of events, bodies of webhooks, records and exports is masked by the declarations of the fields of the schema with the
 * names of its keys. If several fields have the name, and one of them is masked, so is the value. A text or a number under a
 * key that is the name of no field is hidden.
 */

const tables = new WeakMap<GraphQLSchema, ReadonlyMap<string, MaskKind>>();

/** The kind of the values under a key of JSON, in any case, with or without underscores. */
export function kindOfKey(schema: GraphQLSchema): KindOfKey {
  const table = tables.get(schema) ?? tableOf(schema);
  tables.set(schema, table);
  return (key) => table.get(normalized(key));
}

/** Keys of events and records that are the name of no field, or of a field with other values. */
const OTHER_KEYS: Readonly<Record<string, MaskKind>> = {
  // In fields the name of a list, a rule or a carrier. JSON can have that of a person.
  name: 'name',
  bot: 'none',
  error_message: 'sentence',
  linked_account_id: 'none',
  num_accounts_linked: 'none',
  rule: 'none',
  rule_version: 'none',
  url: 'text',
};

function tableOf(schema: GraphQLSchema): Map<string, MaskKind> {
  const table = new Map(Object.entries(OTHER_KEYS).map(([key, kind]) => [normalized(key), kind]));
  for (const type of objectTypes(schema)) {
    const { mask: ofType } = declaredOfType(type);
    for (const field of Object.values(type.getFields())) {
      const kind = declaredOf(field).mask ?? kindOfType(field, ofType);
      if (kind === undefined) continue;
      for (const name of namesOf(field)) {
        const known = table.get(name);
        if (known === undefined || known === 'none') table.set(name, kind);
      }
    }
  }
  return table;
}

/** Of a field without a mask of its own; undefined for an object, whose fields have their own. */
function kindOfType(field: GraphQLField<unknown, unknown>, ofType: 'none' | undefined): MaskKind | undefined {
  const type = getNamedType(field.type);
  if ('getFields' in type) return undefined;
  return isScalarType(type) && needsMask(type.name) ? (ofType ?? 'text') : 'none';
}

/** Its own name, and that of REST. */
function namesOf(field: GraphQLField<unknown, unknown>): string[] {
  const { key } = (declaredOf(field).rest ?? {}) as { key?: string };
  return [field.name, ...(key === undefined ? [] : [key])].map(normalized);
}

function normalized(key: string): string {
  return key.replaceAll('_', '').toLowerCase();
}
