import type { FieldNullability, InputFieldMap, SchemaTypes, TypeParam } from '@pothos/core';
import type { TokenScope } from '@vouchgraph/events';
import type { RestForm } from '@vouchgraph/rest';
import { type GraphQLField, type GraphQLObjectType, type GraphQLSchema, isObjectType } from 'graphql';
import type { AnswerSubjects } from '../../domain/idempotency/answer-subjects.ts';

/*
 * What a type or a field declares about itself besides its form: options of the builder, read from the built schema. What
 * is not declared is closed.
 */

/** Which browser tokens read a field. */
export type TokenRule =
  /** Tokens with one of the scopes. */
  | readonly TokenScope[]
  /** Every token. For a type whose objects are reached by fields that have a rule of their own. */
  | 'any'
  /** No token: the field requires a key. */
  | 'never';

/** Adds the accounts and sessions whose data an object contains. */
export type CollectSubjects<Value = never> = (value: Value, subjects: AnswerSubjects) => void;

/** Which accounts and sessions the objects of a type contain data of. */
export type TypeSubjects<Value = never> =
  | CollectSubjects<Value>
  /** None, apart from ids in fields named accountId and accountIds: for parts of an object that is collected itself. */
  | 'none'
  /** Not known: any erasure in the project erases a stored answer with such an object. */
  | 'wide';

/** What each object type declares. A schema with a type that does not is not built. */
export type TypeFacts<Value = never> = {
  /** Rule of the fields that have none of their own. */
  readonly tokenScopes: TokenRule;
  readonly subjects: TypeSubjects<Value>;
};

declare global {
  export namespace PothosSchemaTypes {
    // Optional for the compiler: connections and edges have defaults (builder.ts).
    export interface ObjectTypeOptions<Types extends SchemaTypes, Shape> extends Partial<TypeFacts<Shape>> {}

    export interface FieldOptions {
      /** Which browser tokens read the field; absent for the rule of its type. */
      tokenScopes?: TokenRule | undefined;
      /**
       * Whether the field names the account of a session or of a verification: a token limited to a session does not
       * receive it, whatever its scopes. Such a field is nullable, so that the rest of the object stays.
       */
      namesAccount?: true | undefined;
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

type FieldFacts = Readonly<
  Pick<PothosSchemaTypes.FieldOptions, 'columns' | 'rest' | 'tokenScopes' | 'namesAccount'>
> & { readonly isIdempotent?: boolean };

/** The options that a field was made with. */
export function declaredOf(field: Pick<GraphQLField<unknown, unknown>, 'extensions'>) {
  return (field.extensions.pothosOptions ?? {}) as FieldFacts;
}

/** The options that an object type was made with. */
export function declaredOfType({ extensions }: Pick<GraphQLObjectType, 'extensions'>): Partial<TypeFacts> {
  return (extensions.pothosOptions ?? {}) as Partial<TypeFacts>;
}

/** The object types of a schema, apart from its roots and those of its introspection. */
export function objectTypes(schema: GraphQLSchema): GraphQLObjectType[] {
  const roots = [schema.getQueryType(), schema.getMutationType(), schema.getSubscriptionType()];
  return Object.values(schema.getTypeMap())
    .filter(isObjectType)
    .filter((type) => !roots.includes(type) && !type.name.startsWith('__'));
}

/** Throws when an object type does not declare which tokens read it, or whose data it contains. */
export function assertDeclared(schema: GraphQLSchema): GraphQLSchema {
  const missing = objectTypes(schema).flatMap((type) => {
    const facts = declaredOfType(type);
    const absent = (['tokenScopes', 'subjects'] as const).filter((name) => facts[name] === undefined);
    return absent.length === 0 ? [] : [`${type.name} (${absent.join(', ')})`];
  });
  if (missing.length > 0) throw new Error(`Object types without required options: ${missing.join(', ')}`);
  return schema;
}
