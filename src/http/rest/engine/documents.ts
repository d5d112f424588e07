import { readdirSync, readFileSync } from 'node:fs';
import { concatAST, Kind, parse, separateOperations, type TypedQueryDocumentNode } from 'graphql';
import type { Operations } from '../generated/operations.ts';
import { assertDeclaredFields, withOtherFields } from './other-fields.ts';
import { restSchema } from './rest-schema.ts';
import { withSnakeCaseAliases } from './snake-case.ts';

/*
 * The GraphQL documents that REST runs, parsed once at start. They name fields as the schema does; the keys of REST are
 * added as aliases. Their types are generated from the same files, with the same aliases.
 */

const FOLDER = new URL('../routes/operations/', import.meta.url);

const files = readdirSync(FOLDER).filter((file) => file.endsWith('.graphql'));
const sources = files.map((file) => parse(readFileSync(new URL(file, FOLDER), 'utf8'), { noLocation: true }));
const source = concatAST(sources);
assertDeclaredFields(source, restSchema);
const all = withSnakeCaseAliases(withOtherFields(source, restSchema));
const documents = separateOperations(all);

/** The document of one operation of `routes/operations/`, with the fragments that it uses. */
export function documentOf<Name extends keyof Operations>(
  name: Name,
): TypedQueryDocumentNode<Operations[Name]['data'], Operations[Name]['variables']> {
  type Typed = TypedQueryDocumentNode<Operations[Name]['data'], Operations[Name]['variables']>;
  return documents[name] as Typed;
}

/** The keys of the fields of a fragment of `routes/operations/` and of the fragments in it, in their order. */
export function keysOfFragment(name: string): string[] {
  const fragment = all.definitions.find(
    (definition) => definition.kind === Kind.FRAGMENT_DEFINITION && definition.name.value === name,
  );
  if (fragment?.kind !== Kind.FRAGMENT_DEFINITION) throw new Error(`REST: no fragment ${name}`);
  return fragment.selectionSet.selections.flatMap((selection) => {
    if (selection.kind === Kind.FRAGMENT_SPREAD) return keysOfFragment(selection.name.value);
    if (selection.kind === Kind.INLINE_FRAGMENT) throw new Error(`REST: ${name} contains an inline fragment`);
    return [(selection.alias ?? selection.name).value];
  });
}
