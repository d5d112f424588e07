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
  const files = (await readdir(REST_OPERATIONS)).filter((file) => file.endsWith('.graphql')).sort();
  const documents = await Promise.all(
    files.map(async (location) => {
      const document = parse(await readFile(new URL(location, REST_OPERATIONS), 'utf8'));
      return { location, document: withSnakeCaseAliases(withOtherFields(document, schemaAst)) };
    }),
  );
  const types = await codegen({
    filename: 'operations.ts',
    schema,
    schemaAst,
    documents,
    config: {
      ...CONFIG,
      scalars: { ...SCALARS, ...Object.fromEntries(enums.map((name) => [name, 'string'])) },
    },
    plugins: [{ 'typescript-operations': {} }],
    pluginMap: { 'typescript-operations': typescriptOperations },
  });
  return `${types.trimEnd()}\n\n${operationTable(documents.map(({ document }) => document))}`;
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
