import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { codegen } from '@graphql-codegen/core';
import * as typescriptOperations from '@graphql-codegen/typescript-operations';
import { buildASTSchema, type DefinitionNode, type DocumentNode, Kind, parse } from 'graphql';
import { withOtherFields } from '../../src/http/rest/other-fields.ts';
import { withSnakeCaseAliases } from '../../src/http/rest/snake-case.ts';
import { stagingFolder } from './staging.ts';

/*
 * Generates the types of the operations that REST runs, from schema.graphql and src/http/rest/operations. Types only: the
 * service parses the documents itself when it starts.
 */

const ROOT = new URL('../../', import.meta.url);
const OPERATIONS = new URL('src/http/rest/operations/', ROOT);

const config = {
  // Node runs this file as it is, and an enum is not erasable.
  enumType: 'string-literal',
  useTypeImports: true,
  importExtension: '.ts',
  dedupeFragments: true,
  strictScalars: true,
  defaultScalarType: 'never',
  scalars: {
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
  },
};

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

const source = parse(await readFile(new URL('schema.graphql', ROOT), 'utf8'), { noLocation: true });
const enums: string[] = [];
/** REST has its own words for the values of enums (rest-schema.ts), which the schema does not name. */
const schema: DocumentNode = {
  ...source,
  definitions: source.definitions.map((definition): DefinitionNode => {
    if (definition.kind !== Kind.ENUM_TYPE_DEFINITION) return definition;
    enums.push(definition.name.value);
    return { kind: Kind.SCALAR_TYPE_DEFINITION, name: definition.name };
  }),
};
const files = (await readdir(OPERATIONS)).filter((file) => file.endsWith('.graphql')).sort();
const schemaAst = buildASTSchema(schema);
const documents = await Promise.all(
  files.map(async (location) => {
    const document = parse(await readFile(new URL(location, OPERATIONS), 'utf8'));
    return { location, document: withSnakeCaseAliases(withOtherFields(document, schemaAst)) };
  }),
);
const types = await codegen({
  filename: 'operations.ts',
  schema,
  schemaAst,
  documents,
  config: {
    ...config,
    scalars: { ...config.scalars, ...Object.fromEntries(enums.map((name) => [name, 'string'])) },
  },
  plugins: [{ 'typescript-operations': {} }],
  pluginMap: { 'typescript-operations': typescriptOperations },
});
const folder = join(stagingFolder(), 'src/http/rest/generated');
await mkdir(folder, { recursive: true });
await writeFile(
  join(folder, 'operations.ts'),
  `${types.trimEnd()}\n\n${operationTable(documents.map(({ document }) => document))}`,
);
