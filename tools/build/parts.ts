/** One kind of generated files. */
export type Part = {
  name: string;
  /** Files and folders, relative to the root; tests and generated files in the folders do not count. */
  inputs: readonly string[];
  /** Packages of package.json whose version changes what is generated. Without them nothing can be. */
  packages: readonly string[];
  /** Folders that hold nothing else, relative to the root. */
  outputs: readonly string[];
  /** Is started with the folder below which to write `outputs`. */
  script: string;
};

const BUNDLING = ['tools/build/bundling.ts', 'tsconfig.json'];
const STAGING = 'tools/build/staging.ts';

/** What is generated and not committed. */
export const PARTS: readonly Part[] = [
  {
    name: 'Prisma client',
    inputs: ['prisma/schema.prisma', STAGING],
    packages: ['@prisma/client-generator-ts', '@prisma/internals', '@prisma/client', '@pothos/plugin-prisma'],
    outputs: ['src/storage/generated', 'src/graphql/generated'],
    script: 'tools/build/generate-prisma.ts',
  },
  {
    name: 'REST operations',
    inputs: ['schema.graphql', 'src/http/rest/operations', STAGING],
    packages: ['@graphql-codegen/core', '@graphql-codegen/typescript-operations', 'graphql'],
    outputs: ['src/http/rest/generated'],
    script: 'tools/build/generate-operations.ts',
  },
  {
    name: 'collector',
    inputs: ['clients/sdk', 'src/domain/signals/automation/automation-globals.ts', ...BUNDLING, STAGING],
    packages: ['vite', '@fingerprintjs/botd', '@fingerprintjs/fingerprintjs'],
    outputs: ['clients/sdk/generated'],
    script: 'tools/build/bundle-sdk.ts',
  },
  {
    name: 'hosted page',
    inputs: [
      'clients/capture',
      'clients/sdk',
      'src/domain/signals/automation/automation-globals.ts',
      ...BUNDLING,
      STAGING,
    ],
    packages: ['vite', 'preact', 'uqr', '@fingerprintjs/botd', '@fingerprintjs/fingerprintjs'],
    outputs: ['clients/capture/generated'],
    script: 'tools/build/bundle-capture.ts',
  },
];
