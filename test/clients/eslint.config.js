import { readFileSync } from 'node:fs';
import path from 'node:path';
import graphql from '@graphql-eslint/eslint-plugin';
import { Kind, parse } from 'graphql';

const { configs } = graphql;
// The plugin takes paths from the folder of the process.
const here = (name) => path.join(import.meta.dirname, name);
const schema = here('../../schema.graphql');
const common = {
  plugins: { '@graphql-eslint': graphql },
  languageOptions: { parser: graphql.parser },
};

const typesWithoutIdentity = parse(readFileSync(schema, 'utf8'))
  .definitions.filter(({ kind }) => kind === Kind.OBJECT_TYPE_DEFINITION)
  .filter(({ interfaces }) => !interfaces.some(({ name }) => name.value === 'Node'))
  .map(({ name }) => name.value);

/** Each rule that is not as recommended has its reason beside it. */
export default [
  // The schema, copied beneath this folder by the tests: ESLint reads no file above its configuration.
  {
    ...common,
    files: ['generated/schema.graphql'],
    languageOptions: { ...common.languageOptions, parserOptions: { graphQLConfig: { schema } } },
    rules: {
      ...configs['flat/schema-recommended'].rules,
      ...configs['flat/schema-relay'].rules,
      // A type with an identity is a Node, with exactly one id. Values, pages and payloads have none: a normalized cache
      // keeps them inside their parent. Another test refuses an id in a type that is no Node.
      '@graphql-eslint/strict-id-in-types': ['error', { exceptions: { types: typesWithoutIdentity } }],
      // Lists of at most a few entries are plain lists; what can grow is a connection.
      '@graphql-eslint/relay-edge-types': ['error', { listTypeCanWrapOnlyEdgeType: false }],
    },
  },
  // What Apollo Client and urql send.
  {
    ...common,
    files: ['operations/*.graphql'],
    languageOptions: {
      ...common.languageOptions,
      parserOptions: { graphQLConfig: { schema, documents: here('operations/*.graphql') } },
    },
    rules: configs['flat/operations-recommended'].rules,
  },
  // Relay's documents stand in a module; its processor hands them to the rules as files of their own.
  { files: ['relay/Documents.ts'], processor: graphql.processor },
  {
    ...common,
    files: ['relay/**/*.graphql'],
    languageOptions: {
      ...common.languageOptions,
      parserOptions: {
        graphQLConfig: {
          schema,
          documents: here('relay/Documents.ts'),
        },
      },
    },
    rules: {
      ...configs['flat/operations-recommended'].rules,
      // relay-compiler demands names of operations that end in Query, Mutation or Subscription, and of fragments with an
      // underscore before the name of the property.
      '@graphql-eslint/naming-convention': ['error', { VariableDefinition: 'camelCase' }],
      // Directives of Relay, which its compiler knows and removes. It checks the variables that @argumentDefinitions defines too.
      '@graphql-eslint/known-directives': 'off',
      '@graphql-eslint/no-undefined-variables': 'off',
    },
  },
];
