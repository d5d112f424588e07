import { readdirSync, readFileSync } from 'node:fs';
import { compileDocuments, type FieldParts, partsOf } from '@vouchgraph/rest';
import type { TypedQueryDocumentNode } from 'graphql';
import type { Operations } from './generated/operations.ts';
import { restSchema } from './rest-schema.ts';
import type { AnswerMeta } from './route.ts';

/*
 * The GraphQL documents that REST runs, parsed once at start. They name fields as the schema does; the keys of REST are
 * added as aliases. Their types are generated from the same files, with the same aliases.
 */

const FOLDER = new URL('routes/operations/', import.meta.url);

const files = readdirSync(FOLDER).filter((file) => file.endsWith('.graphql'));
const sources = files.map((file) => readFileSync(new URL(file, FOLDER), 'utf8'));
const { operations, keysOfFragment } = compileDocuments(sources, restSchema);

/** The document of one operation of `routes/operations/`, with the fragments that it uses. */
export function documentOf<Name extends keyof Operations>(
  name: Name,
): TypedQueryDocumentNode<Operations[Name]['data'], Operations[Name]['variables']> {
  type Typed = TypedQueryDocumentNode<Operations[Name]['data'], Operations[Name]['variables']>;
  return operations[name] as Typed;
}

/** Every field of a fragment of `routes/operations/`. `changed` has other parts in the place of some fields. */
export function fieldsOf(
  fragment: string,
  changed?: Parameters<typeof partsOf<AnswerMeta>>[1],
): FieldParts<AnswerMeta> {
  return partsOf(keysOfFragment(fragment), changed);
}
