import type { FieldMap, ObjectFieldBuilder } from '@pothos/core';
import { builder } from './builder.ts';
import type { TypeFacts } from './declared-facts.ts';

type Types = typeof builder extends PothosSchemaTypes.SchemaBuilder<infer T> ? T : never;
type Payload<Value> = Value & { readonly requestId: string };

/** The payload of a mutation: the id of the request, and other fields. Tokens run no mutations. */
export function payloadType<Value extends object>(
  name: string,
  description: string,
  { subjects, mask }: Pick<TypeFacts<Payload<Value>>, 'subjects' | 'mask'>,
  fields: (t: ObjectFieldBuilder<Types, Payload<Value>>) => FieldMap,
) {
  return builder.objectRef<Payload<Value>>(name).implement({
    tokenScopes: 'never',
    subjects,
    mask,
    description,
    fields: (t) => ({
      requestId: t.field({ type: 'UUID', description: 'Id of this request.', resolve: (p) => p.requestId }),
      ...fields(t),
    }),
  });
}
