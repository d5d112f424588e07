import type { FieldMap, ObjectRef, OutputRef } from '@pothos/core';
import { type StoredEvent, shownFacts } from '@vouchgraph/events';
import type { MaskKind } from '@vouchgraph/persons/masking';
import type { RestForm } from '@vouchgraph/rest';
import { builder } from './builder.ts';
import type { GraphQLContext } from './context.ts';
import type { TokenRule, TypeFacts } from './declared-facts.ts';
import {
  asBoolean,
  asEach,
  asFacts,
  asNumber,
  asText,
  asTexts,
  asTime,
  type StoredFacts,
} from './stored-facts.ts';

/*
 * Fields that show facts: of events, whose facts are what was stored, and of sessions. Each has the name of its fact and is null
 * if the fact is unknown, unless its options say otherwise.
 */

type Types = typeof builder extends PothosSchemaTypes.SchemaBuilder<infer T> ? T : never;

type FactOptions = {
  /** Name of the fact, after the names of the objects that contain it, separated by dots. */
  readonly from?: string;
  /** Sentences of the description about null and errors. */
  readonly nulls?: string;
  /** Number of list entries by which the complexity is multiplied. */
  readonly multiplier?: number;
  readonly rest?: RestForm;
  readonly tokenScopes?: TokenRule;
  readonly namesAccount?: true;
  /** How the value is masked for persons. */
  readonly mask?: MaskKind;
};

type Scalar = 'ID' | 'String' | 'Int' | 'Float' | 'Boolean' | 'UUID' | 'Date' | 'DateTime' | 'CountryCode';
type FactType = Scalar | 'JSONObject' | OutputRef<unknown>;

type Fact = FactOptions & {
  readonly type: FactType | [FactType];
  readonly description: string;
  readonly isAlwaysKnown?: true;
  read(value: unknown): unknown;
};

type FactTable = Readonly<Record<string, Fact>>;

const factOf =
  (type: Fact['type'], read: Fact['read']) =>
  (description: string, options?: FactOptions): Fact => ({ type, read, description, ...options });

export const text = factOf('String', asText);
export const id = factOf('ID', asText);
export const texts = factOf(['String'], asTexts);
export const int = factOf('Int', asNumber);
export const number = factOf('Float', asNumber);
export const boolean = factOf('Boolean', asBoolean);
export const uuid = factOf('UUID', asText);
export const day = factOf('Date', asText);
export const time = factOf('DateTime', asTime);
export const country = factOf('CountryCode', asText);
export const countries = factOf(['CountryCode'], asTexts);
/** Object of any properties, or of none. */
export const json = factOf('JSONObject', (value) => value);

/** Value of an enum. */
export function word(type: OutputRef<string>, description: string, options?: FactOptions): Fact {
  return { type, read: asText, description, ...options };
}

/** Several values of an enum, in the order of the facts. */
export function words(type: OutputRef<string>, description: string, options?: FactOptions): Fact {
  return { type: [type], read: asTexts, description, ...options };
}

/** Object of facts, of at least one. */
export function facts<Facts extends object = StoredFacts>(
  type: OutputRef<Facts> | 'JSONObject',
  description: string,
  options?: FactOptions,
): Fact {
  return { type, read: asFacts, description, ...options };
}

/** List of objects of facts. */
export function each<Facts extends object = StoredFacts>(
  type: OutputRef<Facts>,
  description: string,
  options?: FactOptions,
): Fact {
  return { type: [type], read: asEach, description, ...options };
}

/** Facts that an object of the event contains. */
export function inside(part: string, facts: FactTable): FactTable {
  return mapFacts(facts, (fact, name) => ({ ...fact, from: `${part}.${fact.from ?? name}` }));
}

/** A fact that every event of the type has. */
export function alwaysKnown(fact: Fact): Fact {
  return { ...fact, isAlwaysKnown: true };
}

/** Facts of a parent, as the viewer may see them. */
type FactSource<Parent> = (parent: Parent, context: GraphQLContext) => StoredFacts | null;

/** Builder of the fields of an object or an interface. */
type FieldMaker = { field(options: never): FieldMap[string] };

/** Fields of a type whose parent has the facts. */
export function factFields<Parent>(t: FieldMaker, facts: FactTable, sourceOf: FactSource<Parent>): FieldMap {
  return mapFacts(facts, (fact, name) => {
    const {
      type,
      read,
      from = name,
      nulls = 'Null if unknown.',
      isAlwaysKnown = false,
      multiplier,
      rest,
      tokenScopes,
      namesAccount,
      mask,
    } = fact;
    const [first, ...inner] = from.split('.');
    const options = {
      type,
      nullable: !isAlwaysKnown,
      description: isAlwaysKnown ? fact.description : `${fact.description} ${nulls}`,
      rest,
      tokenScopes,
      namesAccount,
      mask,
      ...(multiplier && { complexity: { field: 1, multiplier } }),
      resolve: (parent: Parent, _args: object, context: GraphQLContext) =>
        read(inner.reduce((found, part) => asFacts(found)?.[part], sourceOf(parent, context)?.[first!])),
    };
    return t.field(options as never);
  });
}

/** Fields of an event: facts that the viewer may see. */
export function eventFacts(t: FieldMaker, facts: FactTable): FieldMap {
  return factFields(t, facts, (event: StoredEvent, { viewer }) => shownFacts(viewer, event));
}

/** Type of facts. */
export function factType<Parent extends object = StoredFacts>(
  name: string,
  description: string,
  declared: TypeFacts<Parent>,
  facts: Readonly<Partial<Record<keyof NoInfer<Parent> & string, Fact>>>,
): ObjectRef<Types, Parent> {
  return builder.objectRef<Parent>(name).implement({
    ...declared,
    description,
    fields: (t) => factFields(t, facts as FactTable, (parent: Parent) => parent as StoredFacts),
  });
}

function mapFacts<T>(facts: FactTable, mapped: (fact: Fact, name: string) => T): Record<string, T> {
  return Object.fromEntries(Object.entries(facts).map(([name, fact]) => [name, mapped(fact, name)]));
}
