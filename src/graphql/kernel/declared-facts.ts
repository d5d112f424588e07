import type { FieldNullability, InputFieldMap, SchemaTypes, TypeParam } from '@pothos/core';
import type { TokenScope } from '@vouchgraph/events';
import type { MaskKind } from '@vouchgraph/persons/masking';
import type { RestForm } from '@vouchgraph/rest';
import {
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLSchema,
  getNamedType,
  isObjectType,
  isScalarType,
} from 'graphql';
import type { AnswerSubjects } from '../../domain/idempotency/answer-subjects.ts';
import type { RevealSubject } from '../../domain/reveals/active-reveals.ts';

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

/**
 * Which reveal shows the masked fields of an object to a person: one of the subject that it names, or the reveal of the object
 * whose field leads to it.
 */
export type RevealedBy<Value = never> = 'parent' | ((value: Value) => RevealSubject);

/** What each object type declares. A schema with a type that does not is not built. */
export type TypeFacts<Value = never> = {
  /** Rule of the fields that have none of their own. */
  readonly tokenScopes: TokenRule;
  readonly subjects: TypeSubjects<Value>;
  /** `none`: the type has no personal data, except in fields with a mask of their own. Otherwise each text has one. */
  readonly mask?: 'none' | undefined;
  /** Absent: masked fields of the type are masked during every reveal. */
  readonly revealedBy?: RevealedBy<Value> | undefined;
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
       * How the value is masked for persons. A field that can contain text or JSON has one, or its type has. Values of other
       * types are shown if it is absent.
       */
      mask?: MaskKind | undefined;
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
  Pick<PothosSchemaTypes.FieldOptions, 'columns' | 'rest' | 'tokenScopes' | 'namesAccount' | 'mask'>
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

/** Scalars without personal data: ids, numbers, times of changes and countries. */
const PLAIN_SCALARS: ReadonlySet<string> = new Set([
  ...['ID', 'UUID', 'Int', 'Float', 'Boolean', 'DateTime', 'CountryCode'],
]);

/** Whether a field with values of a type must declare how they are masked: it can contain text or JSON. */
export function needsMask(typeName: string): boolean {
  return !PLAIN_SCALARS.has(typeName);
}

/** Throws when an object type does not declare which tokens read it, whose data it contains, or how a field is masked. */
export function assertDeclared(schema: GraphQLSchema): GraphQLSchema {
  const missing = objectTypes(schema).flatMap((type) => {
    const facts = declaredOfType(type);
    const absent: string[] = (['tokenScopes', 'subjects'] as const).filter(
      (name) => facts[name] === undefined,
    );
    absent.push(...unmaskedFields(type).map((name) => `mask of ${name}`));
    return absent.length === 0 ? [] : [`${type.name} (${absent.join(', ')})`];
  });
  if (missing.length > 0) throw new Error(`Object types without required options: ${missing.join(', ')}`);
  return schema;
}

/** Fields of text or JSON without a mask. */
function unmaskedFields(type: GraphQLObjectType): string[] {
  if (declaredOfType(type).mask !== undefined) return [];
  const fields = Object.values(type.getFields()).filter((field) => {
    const named = getNamedType(field.type);
    return isScalarType(named) && needsMask(named.name) && declaredOf(field).mask === undefined;
  });
  return fields.map(({ name }) => name);
}
