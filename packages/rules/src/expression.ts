/** A value that rules read; null and undefined without one. The metadata of an account is one value with many keys. */
export type FieldValue = number | string | boolean | readonly string[] | MetadataValue | null;

export type MetadataValue = { readonly [key: string]: unknown };

/** Known facts at the time of an event, by the name of the field. */
export type Facts = Readonly<Record<string, FieldValue | undefined>>;

export type Operator =
  | 'eq'
  | 'ne'
  | 'gt'
  | 'ge'
  | 'lt'
  | 'le'
  | 'in'
  | 'not_in'
  | 'in_network'
  | 'not_in_network'
  | 'contains'
  | 'matches_list'
  | 'is_missing'
  | 'is_present';

/**
 * One comparison of a field; `value` is absent for is_missing and is_present, and an array for in, not_in, in_network
 * and not_in_network.
 */
export type Condition = {
  readonly field: string;
  readonly op: Operator;
  readonly value?: number | string | boolean | readonly (number | string)[];
};

/** A rule's condition as it is stored. `and` and `or` have two members or more. */
export type Expression =
  | Condition
  | { readonly and: readonly Expression[] }
  | { readonly or: readonly Expression[] }
  | { readonly not: Expression };
