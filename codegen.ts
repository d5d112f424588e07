import type { CodegenConfig } from '@graphql-codegen/cli';

/** Types and parsed documents of the operations that REST runs. */
const config: CodegenConfig = {
  schema: 'schema.graphql',
  documents: 'src/http/rest/operations/*.graphql',
  generates: {
    'src/http/rest/generated/operations.ts': {
      plugins: ['typescript-operations', 'typed-document-node'],
      config: {
        // Types only: Node runs this file as it is, and an enum is not erasable.
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
          EventType: 'string',
          IdNumberValue: 'string',
          JSON: 'unknown',
          JSONObject: 'Record<string, unknown>',
          NonNegativeFloat: 'number',
          NonNegativeInt: 'number',
          UUID: 'string',
        },
      },
    },
  },
};

export default config;
