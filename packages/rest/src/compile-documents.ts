import { concatAST, type DocumentNode, type GraphQLSchema, Kind, parse, separateOperations } from 'graphql';
import { assertDeclaredFields, withOtherFields } from './other-fields.ts';
import { withSnakeCaseAliases } from './snake-case.ts';

/** The documents of the operations in some sources, in the form that REST runs. */
export type CompiledDocuments = {
  /** The document of each operation, with the fragments that it uses, by its name. */
  readonly operations: Readonly<Record<string, DocumentNode>>;
  /** The keys of the fields of a fragment and of the fragments in it, in their order. */
  keysOfFragment(name: string): string[];
};

/**
 * Compiles GraphQL documents, which name fields as the schema does; the keys of REST are added as aliases. `schema` is the
 * documented one.
 */
export function compileDocuments(sources: readonly string[], schema: GraphQLSchema): CompiledDocuments {
  const source = concatAST(sources.map((text) => parse(text, { noLocation: true })));
  assertDeclaredFields(source, schema);
  const all = withSnakeCaseAliases(withOtherFields(source, schema));
  return { operations: separateOperations(all), keysOfFragment: (name) => keysOfFragment(all, name) };
}

function keysOfFragment(document: DocumentNode, name: string): string[] {
  const fragment = document.definitions.find(
    (definition) => definition.kind === Kind.FRAGMENT_DEFINITION && definition.name.value === name,
  );
  if (fragment?.kind !== Kind.FRAGMENT_DEFINITION) throw new Error(`REST: no fragment ${name}`);
  return fragment.selectionSet.selections.flatMap((selection) => {
    if (selection.kind === Kind.FRAGMENT_SPREAD) return keysOfFragment(document, selection.name.value);
    if (selection.kind === Kind.INLINE_FRAGMENT) throw new Error(`REST: ${name} contains an inline fragment`);
    return [(selection.alias ?? selection.name).value];
  });
}
