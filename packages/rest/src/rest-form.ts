import type { GraphQLField } from 'graphql';

/* What a field declares about its documented form: the option `rest` of the builder. */

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

/** The form that a field was made with; empty for the usual one. */
export function restFormOf({ extensions }: Pick<GraphQLField<unknown, unknown>, 'extensions'>): RestForm {
  return (extensions.pothosOptions as { readonly rest?: RestForm } | undefined)?.rest ?? {};
}
