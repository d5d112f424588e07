import type { FieldNullability, InputFieldMap, SchemaTypes, TypeParam } from '@pothos/core';
import type { GraphQLField } from 'graphql';

/*
 * What a type or a field declares about itself besides its form: options of the builder, read from the built schema. What
 * is not declared is closed.
 */

declare global {
  export namespace PothosSchemaTypes {
    export interface FieldOptions {
      /**
       * Columns that the field reads; all of the row if it is absent. `main` and `details`: of an account, `summary`: of a
       * session. A test selects each field and compares its values.
       */
      columns?: 'main' | 'details' | 'summary';
    }

    export interface MutationFieldOptions<
      Types extends SchemaTypes,
      Type extends TypeParam<Types>,
      Nullable extends FieldNullability<Type>,
      Args extends InputFieldMap,
      ResolveReturnShape,
    > extends FieldOptions<Types, Types['Root'], Type, Nullable, Args, Types['Root'], ResolveReturnShape> {
      /** Whether the mutation does the same when it runs again: then it may when it is not known whether its answer was stored. */
      isIdempotent: boolean;
    }
  }
}

type DeclaredFacts = {
  readonly isIdempotent?: boolean;
  readonly columns?: 'main' | 'details' | 'summary';
};

/** The options that a field was made with. */
export function declaredOf(field: Pick<GraphQLField<unknown, unknown>, 'extensions'>) {
  return (field.extensions.pothosOptions ?? {}) as DeclaredFacts;
}
