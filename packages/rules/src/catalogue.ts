import type { FieldValue } from './expression.ts';
import { metadataPath } from './metadata-path.ts';

/** A field that expressions can read. */
export type Field = {
  /**
   * `strings`: several distinct texts; `address`: an IP address; `metadata`: a value of the metadata, of any type.
   */
  readonly type: 'number' | 'string' | 'boolean' | 'strings' | 'address' | 'metadata';
  /** One sentence, without its full stop. */
  readonly description: string;
  /** As people read it, such as `0 to 1`. */
  readonly range?: string;
  readonly unit?: string;
  /** All possible values; absent where any text may occur. */
  readonly values?: readonly string[];
  /** Its texts are two-letter country codes of ISO 3166-1. */
  readonly country?: true;
  /** Its texts are names of lists: MATCHES LIST compares them, and no other comparison does. */
  readonly listNames?: true;
};

/** Words that users write for a field whose name they do not know, in snake case. */
export type FieldSynonyms = {
  /** Possible fields of a word, the likeliest first. A name is looked up as a whole, then by its last part. */
  readonly fields: Readonly<Record<string, readonly string[]>>;
  /** First part of field names, by a word for it: `user` for `account`. */
  readonly groups: Readonly<Record<string, string>>;
  /** Words for the last part of the metadata's root, alone or after the parts before it. */
  readonly metadata: readonly string[];
};

/** What is certain of the facts on a trigger. */
export type TriggerFacts = {
  /** Fields with one possible value. */
  readonly fixed: Readonly<Record<string, FieldValue>>;
  /** Fields without a value. */
  readonly absent: ReadonlySet<string>;
};

/** Vocabulary of a rule language: the facts of the program that evaluates its expressions. */
export type Catalogue<Trigger extends string = string> = {
  /** By name. Names consist of parts of a-z, A-Z, 0-9 and _, separated by full stops. */
  readonly fields: Readonly<Record<string, Field>>;
  /** One fact with many keys. Expressions read the fields below its name, such as `account.metadata.plan`. */
  readonly metadata: { readonly root: string; readonly field: Field };
  readonly synonyms: FieldSynonyms;
  /** The name of a list as it is stored; null for a text that cannot be one. */
  readonly readListName: (text: string) => string | null;
  /** Why a text cannot be the name of a list; null if it can. */
  readonly listNameProblem: (text: string) => string | null;
  readonly triggers: Readonly<Record<Trigger, TriggerFacts>>;
};

/** The field with exactly this name; null without one. */
export function fieldNamed({ fields, metadata }: Catalogue, name: string): Field | null {
  if (Object.hasOwn(fields, name)) return fields[name] ?? null;
  return metadataPath(metadata.root, name) ? metadata.field : null;
}
