import type { CodegenConfig } from '@graphql-codegen/cli';
import { scalars } from './scalars.ts';

// Strict: a schema scalar that is missing in the block is an error, not `any`.
const config = { scalars, strictScalars: true, useTypeImports: true };

export default {
  schema: '../../schema.graphql',
  documents: 'operations/*.graphql',
  generates: {
    'generated/typed/': { preset: 'client', presetConfig: { fragmentMasking: false }, config },
    // All types, for the test that none is unknown; an application needs only those of its operations.
    'generated/typed/schema.ts': { plugins: ['typescript'], config: { ...config, enumsAsTypes: true } },
  },
} satisfies CodegenConfig;
