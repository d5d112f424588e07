import { readdirSync, readFileSync } from 'node:fs';
import {
  type DefinitionNode,
  type FragmentDefinitionNode,
  Kind,
  type OperationDefinitionNode,
  parse,
  type TypedQueryDocumentNode,
} from 'graphql';
import type { Operations } from './generated/operations.ts';

/*
 * The GraphQL documents that REST runs, parsed once at start. Their types are generated from the same files.
 */

const FOLDER = new URL('operations/', import.meta.url);

const definitions: readonly DefinitionNode[] = readdirSync(FOLDER)
  .filter((file) => file.endsWith('.graphql'))
  .flatMap((file) => parse(readFileSync(new URL(file, FOLDER), 'utf8'), { noLocation: true }).definitions);

const fragments: readonly FragmentDefinitionNode[] = definitions.filter(
  (definition) => definition.kind === Kind.FRAGMENT_DEFINITION,
);

const operations: ReadonlyMap<string | undefined, OperationDefinitionNode> = new Map(
  definitions
    .filter((definition) => definition.kind === Kind.OPERATION_DEFINITION)
    .map((operation) => [operation.name?.value, operation]),
);

/** The document of one operation of `operations/`, with the fragments of all. */
export function documentOf<Name extends keyof Operations>(
  name: Name,
): TypedQueryDocumentNode<Operations[Name]['data'], Operations[Name]['variables']> {
  return { kind: Kind.DOCUMENT, definitions: [operations.get(name)!, ...fragments] };
}
