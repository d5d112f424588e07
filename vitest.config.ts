import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

// Vite would take the package's ES modules for our sources and Node its CommonJS for libraries: two GraphQLs in one
// process do not know each other's types.
const resolve = {
  alias: [{ find: /^graphql$/, replacement: fileURLToPath(import.meta.resolve('graphql')) }],
};

const shared = {
  pool: 'forks' as const,
  // Tests wait for conditions, never for time, so that only a broken one gets this far, on a slow machine too.
  testTimeout: 60_000,
  hookTimeout: 60_000,
  retry: 0,
};

export default defineConfig({
  test: {
    projects: [
      // Logic without a database, beside its source.
      {
        resolve,
        test: {
          ...shared,
          name: 'unit',
          include: ['{src,clients,tools}/**/*.test.ts'],
          globalSetup: ['test/support/built.ts'],
        },
      },
      // Everything else, with one PostgreSQL per run. It starts only when a file of this project is run.
      {
        resolve,
        test: {
          ...shared,
          name: 'integration',
          include: ['test/**/*.test.ts'],
          exclude: ['test/browser/**'],
          globalSetup: ['test/support/built.ts', 'test/support/global-setup.ts'],
        },
      },
      // The script of the pages, in a real Chromium: one browser at a time, since they share the machine's clock.
      {
        resolve,
        test: {
          ...shared,
          name: 'browser',
          include: ['test/browser/**/*.test.ts'],
          globalSetup: ['test/support/built.ts', 'test/support/global-setup.ts'],
          fileParallelism: false,
          testTimeout: 60_000,
        },
      },
    ],
  },
});
