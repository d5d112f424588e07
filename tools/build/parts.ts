/** One kind of generated files. */
export type Part = {
  name: string;
  /** Files and folders, relative to the root; tests and generated files in the folders do not count. */
  inputs: readonly string[];
  /**
   * Packages of package.json, with exact versions, whose version changes what is generated. The part can only be built
   * with these versions installed.
   */
  packages: readonly string[];
  /** Folders that hold nothing else, relative to the root. */
  outputs: readonly string[];
  /** Is started with the folder below which to write `outputs`. */
  script: string;
  /** Whether the gateway reads the outputs. Types alone are only needed by development tools. */
  isNeededAtRunTime: boolean;
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
    isNeededAtRunTime: true,
  },
  {
    name: 'REST operations',
    inputs: [
      'codegen.ts',
      'schema.graphql',
      'src/http/rest/routes/operations',
      'packages/rest/package.json',
      'packages/rest/src/other-fields.ts',
      'packages/rest/src/snake-case.ts',
      'packages/platform/package.json',
      'packages/platform/src/letter-case.ts',
      STAGING,
    ],
    packages: ['@graphql-codegen/core', '@graphql-codegen/typescript-operations', 'graphql'],
    outputs: ['src/http/rest/generated'],
    script: 'tools/build/generate-operations.ts',
    isNeededAtRunTime: false,
  },
  {
    name: 'collector',
    inputs: [
      'clients/sdk',
      'clients/pages',
      'packages/signals/package.json',
      'packages/signals/src/automation/automation-globals.ts',
      ...BUNDLING,
      STAGING,
    ],
    packages: ['vite', '@fingerprintjs/botd', '@fingerprintjs/fingerprintjs'],
    outputs: ['clients/sdk/generated'],
    script: 'tools/build/bundle-sdk.ts',
    isNeededAtRunTime: true,
  },
  {
    name: 'hosted page',
    inputs: [
      'clients/capture',
      'clients/shared',
      'clients/sdk',
      'packages/signals/package.json',
      'packages/signals/src/automation/automation-globals.ts',
      ...BUNDLING,
      STAGING,
    ],
    packages: ['vite', 'preact', 'uqr', '@fingerprintjs/botd', '@fingerprintjs/fingerprintjs'],
    outputs: ['clients/capture/generated'],
    script: 'tools/build/bundle-capture.ts',
    isNeededAtRunTime: true,
  },
  {
    name: 'console',
    inputs: [
      'clients/console',
      'clients/shared',
      'codegen.ts',
      'schema.graphql',
      'packages/rest/package.json',
      'packages/rest/src/other-fields.ts',
      'packages/rest/src/snake-case.ts',
      'packages/platform/package.json',
      'packages/platform/src/letter-case.ts',
      // The versions of packages that the ones below depend on.
      'package-lock.json',
      ...BUNDLING,
      STAGING,
    ],
    packages: [
      'vite',
      '@graphql-codegen/core',
      '@graphql-codegen/typescript-operations',
      'graphql',
      'react',
      'react-dom',
      'react-aria-components',
      '@tanstack/react-router',
      'urql',
      '@urql/core',
      '@simplewebauthn/browser',
      'uqr',
    ],
    outputs: ['clients/console/generated', 'clients/console/operations/generated'],
    script: 'tools/build/bundle-console.ts',
    isNeededAtRunTime: true,
  },
  {
    name: 'GraphiQL page',
    inputs: ['clients/graphiql', 'clients/pages', ...BUNDLING, STAGING],
    packages: ['vite', 'graphql-ws'],
    outputs: ['clients/graphiql/generated'],
    script: 'tools/build/bundle-graphiql.ts',
    isNeededAtRunTime: true,
  },
  {
    name: 'REST reference page',
    inputs: ['clients/pages', ...BUNDLING, STAGING],
    packages: ['vite'],
    outputs: ['clients/pages/generated'],
    script: 'tools/build/bundle-pages.ts',
    isNeededAtRunTime: true,
  },
];

/** Parts without which the gateway cannot start. */
export const RUN_TIME_PARTS: readonly Part[] = PARTS.filter(({ isNeededAtRunTime }) => isNeededAtRunTime);
