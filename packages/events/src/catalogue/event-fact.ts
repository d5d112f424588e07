import type { TokenScope } from './token-scope.ts';

/*
 * Facts of events, as the catalog declares them. One declaration gives the type of the value that the service emits, the field
 * of the GraphQL type, and the key of the webhook in openapi.json.
 */

/** The type of a fact's value, by the kind of the fact. */
type Values = {
  text: string;
  uuid: string;
  /** A time in ISO 8601. */
  time: string;
  boolean: boolean;
  /** An integer, 0 or more. */
  count: number;
  /** A number from 0 to 1. */
  score: number;
  /** The same text in each event. */
  constant: string;
  /** A value of an enum. */
  word: string;
  /** A value of an enum that later versions extend: any text in openapi.json. */
  openWord: string;
  openWords: readonly string[];
};

export type FactKind = keyof Values;

/** Enums of GraphQL whose documented words openapi.json lists. */
export type ListedWords = 'MatchType' | 'OutcomeType' | 'VerificationKind' | 'VerificationReviewDecision';
/** Enums of GraphQL whose values are facts of events. */
export type WordSet = ListedWords | 'ListChangeSource' | 'VerificationFailure' | 'WebhookDisabledReason';

type FactOptions = {
  /** Name of the field in GraphQL, if it is not the name of the fact. Null: no field is made of the fact. */
  readonly field?: string | null;
  /** Sentences about null in GraphQL; by default that the fact is unknown. */
  readonly nulls?: string;
  /** The field is never null. Only for types of events that no browser token reads. */
  readonly isKnown?: true;
  /** Description in openapi.json, if it is not the same as in GraphQL. Null for none. */
  readonly webhook?: string | null;
  /** Scopes of which a browser token needs one to read the field; by default EVENTS. */
  readonly tokenScopes?: readonly TokenScope[];
  /** How the field is masked for persons. A text with a field has it. */
  readonly mask?: 'text' | 'none';
  /** Whether the value can be null, or the key can be absent. */
  readonly presence?: 'nullable' | 'optional';
};

/** Kinds whose facts have a description only. */
export type PlainKind = Exclude<FactKind, 'constant' | 'word' | 'openWord' | 'openWords'>;

export type EventFact = FactOptions & { readonly description: string } & (
    | { readonly kind: PlainKind }
    | { readonly kind: 'constant'; readonly value: string }
    | { readonly kind: 'word' | 'openWords'; readonly words: ListedWords }
    | { readonly kind: 'openWord'; readonly words: WordSet }
  );

export type EventFactTable = Readonly<Record<string, EventFact>>;

type NoOptions = Record<never, never>;

const factOf =
  <const Kind extends PlainKind>(kind: Kind) =>
  <const Options extends FactOptions = NoOptions>(description: string, options?: Options) => ({
    kind,
    description,
    ...(options as Options),
  });

const wordOf =
  <const Kind extends FactKind, Words extends WordSet>(kind: Kind) =>
  <const Options extends FactOptions = NoOptions>(words: Words, description: string, options?: Options) => ({
    kind,
    words,
    description,
    ...(options as Options),
  });

/** Makers of facts, by kind. */
export const fact = {
  text: factOf('text'),
  uuid: factOf('uuid'),
  time: factOf('time'),
  boolean: factOf('boolean'),
  count: factOf('count'),
  score: factOf('score'),
  constant: (value: string) =>
    ({ kind: 'constant', value, description: '', field: null, webhook: null }) as const,
  word: wordOf<'word', ListedWords>('word'),
  openWord: wordOf<'openWord', WordSet>('openWord'),
  openWords: wordOf<'openWords', ListedWords>('openWords'),
};

/** Facts without a description in openapi.json. */
export function withoutDescription<Facts extends EventFactTable>(facts: Facts): Facts {
  return Object.fromEntries(
    Object.entries(facts).map(([name, each]) => [name, { ...each, webhook: null }]),
  ) as unknown as Facts;
}

type ValueOf<Fact extends Pick<EventFact, 'kind'>> =
  | Values[Fact['kind']]
  | (Fact extends { presence: 'nullable' } ? null : never);

type OptionalName<Facts> = {
  [Name in keyof Facts]: Facts[Name] extends { presence: 'optional' } ? Name : never;
}[keyof Facts];

/** What an event with these facts contains. */
export type ValuesOf<Facts extends EventFactTable> = Flat<
  { readonly [Name in Exclude<keyof Facts, OptionalName<Facts>>]: ValueOf<Facts[Name]> } & {
    readonly [Name in OptionalName<Facts>]?: ValueOf<Facts[Name]>;
  }
>;

/** One object type, which errors of the compiler show by its properties. */
type Flat<Type> = { [Name in keyof Type]: Type[Name] };
