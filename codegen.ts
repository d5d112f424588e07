import { readdir, readFile } from 'node:fs/promises';
import { codegen } from '@graphql-codegen/core';
import * as typescriptOperations from '@graphql-codegen/typescript-operations';
import { withOtherFields } from '@vouchgraph/rest/internals/other-fields';
import { withSnakeCaseAliases } from '@vouchgraph/rest/internals/snake-case';
import { buildASTSchema, type DefinitionNode, type DocumentNode, Kind, parse } from 'graphql';

/*
 * Code that GraphQL Code Generator derives from schema.graphql and GraphQL documents. `npm run build` writes the files (parts
 * of tools/build/parts.ts).
 */

const SCHEMA = new URL('schema.graphql', import.meta.url);
const REST_OPERATIONS = new URL('src/http/rest/routes/operations/', import.meta.url);
const CONSOLE_OPERATIONS = new URL('clients/console/operations/', import.meta.url);

/** Types of scalars in responses and variables. A scalar without one fails the generation. */
const SCALARS = {
  ID: { input: 'string', output: 'string' },
  CountryCode: 'string',
  DateTime: 'string',
  Date: 'string',
  EventType: 'string',
  IdNumberValue: 'string',
  JSON: 'unknown',
  JSONObject: 'Record<string, unknown>',
  NonNegativeFloat: 'number',
  NonNegativeInt: 'number',
  UUID: 'string',
};

const CONFIG = {
  // Node runs this file as it is, and an enum is not erasable.
  enumType: 'string-literal',
  useTypeImports: true,
  importExtension: '.ts',
  dedupeFragments: true,
  strictScalars: true,
  defaultScalarType: 'never',
};

/**
 * Types of the operations that REST runs. Types only: the gateway parses the documents itself when it starts.
 */
export async function generateRestOperations(): Promise<string> {
  const source = parse(await readFile(SCHEMA, 'utf8'), { noLocation: true });
  const { schema, enums } = withoutEnums(source);
  const schemaAst = buildASTSchema(schema);
  const documents = (await readDocuments(REST_OPERATIONS)).map(({ location, document }) => ({
    location,
    document: withSnakeCaseAliases(withOtherFields(document, schemaAst)),
  }));
  const scalars = { ...SCALARS, ...Object.fromEntries(enums.map((name) => [name, 'string'])) };
  const types = await operationTypes(schema, documents, scalars);
  return `${types}\n\n${operationTable(documents.map(({ document }) => document))}`;
}

/** Typed documents of the operations that the console sends: `ViewerDocument` of the query `Viewer`. */
export async function generateConsoleOperations(): Promise<string> {
  const schema = parse(await readFile(SCHEMA, 'utf8'), { noLocation: true });
  const documents = await readDocuments(CONSOLE_OPERATIONS);
  const types = await operationTypes(schema, documents, SCALARS);
  const constants = documents.flatMap(({ document }) => document.definitions).map(typedDocument);
  return `import type { TypedDocumentNode } from 'urql';\n\n${types}\n\n${constants.join('\n')}`;
}

type SourceDocument = { location: string; document: DocumentNode };

async function readDocuments(folder: URL): Promise<SourceDocument[]> {
  const files = (await readdir(folder)).filter((file) => file.endsWith('.graphql')).sort();
  return Promise.all(
    files.map(async (location) => {
      const source = await readFile(new URL(location, folder), 'utf8');
      return { location, document: parse(source, { noLocation: true }) };
    }),
  );
}

/** Types of the results and variables of operations. The operations must be valid. */
async function operationTypes(
  schema: DocumentNode,
  documents: SourceDocument[],
  scalars: Readonly<Record<string, unknown>>,
): Promise<string> {
  const types = await codegen({
    filename: 'operations.ts',
    schema,
    schemaAst: buildASTSchema(schema),
    documents,
    config: { ...CONFIG, scalars },
    plugins: [{ 'typescript-operations': {} }],
    pluginMap: { 'typescript-operations': typescriptOperations },
  });
  return types.trimEnd();
}

/** The constant of an operation. Each operation of the console is a document of its own. */
function typedDocument(definition: DefinitionNode): string {
  if (definition.kind !== Kind.OPERATION_DEFINITION || !definition.name)
    throw new Error('clients/console/operations: only named operations are supported');
  const { name, operation } = definition;
  const type = `${name.value}${operation[0]!.toUpperCase()}${operation.slice(1)}`;
  const document = JSON.stringify({ kind: Kind.DOCUMENT, definitions: [definition] });
  return `export const ${name.value}Document = ${document} as unknown as TypedDocumentNode<${type}, ${type}Variables>;\n`;
}

/** REST has its own words for the values of enums (documented-schema.ts), which the schema does not name. */
function withoutEnums(source: DocumentNode): { schema: DocumentNode; enums: string[] } {
  const enums: string[] = [];
  const definitions = source.definitions.map((definition): DefinitionNode => {
    if (definition.kind !== Kind.ENUM_TYPE_DEFINITION) return definition;
    enums.push(definition.name.value);
    return { kind: Kind.SCALAR_TYPE_DEFINITION, name: definition.name };
  });
  return { schema: { ...source, definitions }, enums };
}

/** Types of one operation, by its name. A mutation without an error has a payload. */
function operationTable(documents: readonly DocumentNode[]): string {
  const rows = documents
    .flatMap(({ definitions }) => definitions)
    .flatMap((definition) => (definition.kind === Kind.OPERATION_DEFINITION ? [definition] : []))
    .map(({ name, operation }) => {
      const type = `${name!.value}${operation[0]!.toUpperCase()}${operation.slice(1)}`;
      const data = operation === 'mutation' ? `Payloads<${type}>` : type;
      return `  ${name!.value}: { data: ${data}; variables: ${type}Variables };\n`;
    });
  const payloads = 'type Payloads<Data> = { [Field in keyof Data]: Exclude<Data[Field], null> };\n\n';
  return `${payloads}/** Every operation, by its name. */\nexport type Operations = {\n${rows.join('')}};\n`;
}
