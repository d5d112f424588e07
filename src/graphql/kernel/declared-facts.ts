import type { FieldNullability, InputFieldMap, SchemaTypes, TypeParam } from '@pothos/core';
import type { GraphQLField } from 'graphql';

/*
 * What a type or a field declares about itself besides its form: options of the builder, read from the built schema. What
 * is not declared is closed.
 */

/** Representation of an unknown value on REST. */
export type Unknown =
  | 'null'
  /** "". */
  | 'empty'
  /** The key is absent. */
  | 'absent'
  /** No response contains an unknown value. */
  | 'never';

/**
 * The documented form of a field on REST, where it is an exception.
 *
 * The rules without an exception: a key is the name of the field in snake_case. Text that is unknown is null in the schema
 * and "" on REST. Numbers, booleans, objects, ids and timestamps that are unknown are null on both. The description, the
 * type and the words of an enum are those of the schema. Aliases in the documents of REST are exceptions of names.
 */
export type RestForm = {
  readonly unknown?: Unknown;
  /** Object in the place of an unknown one. */
  readonly default?: Readonly<Record<string, unknown>>;
  /** A date as MM/DD/YYYY instead of YYYY-MM-DD; "" when it is unknown. */
  readonly isUsDate?: true;
  /** A key that cannot be an alias. */
  readonly key?: string;
  /** Description in the place of that of the schema. */
  readonly description?: string;
  /** Schema of a value that is JSON in the schema. */
  readonly schema?: Readonly<Record<string, unknown>>;
  /** Other forms, by the field (`Type.field`) whose object contains this one. */
  readonly within?: Readonly<Record<string, Omit<RestForm, 'within'>>>;
};

declare global {
  export namespace PothosSchemaTypes {
    export interface FieldOptions {
      /**
       * Columns that the field reads; all of the row if it is absent. `main` and `details`: of an account, `summary`: of a
       * session. A test selects each field and compares its values.
       */
      columns?: 'main' | 'details' | 'summary';
      /** Documented form on REST; absent for the usual one. */
      rest?: RestForm;
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
  readonly rest?: RestForm;
};

/** The options that a field was made with. */
export function declaredOf(field: Pick<GraphQLField<unknown, unknown>, 'extensions'>) {
  return (field.extensions.pothosOptions ?? {}) as DeclaredFacts;
}
