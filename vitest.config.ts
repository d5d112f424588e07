import { availableParallelism } from 'node:os';
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
  testTimeout: 240_000,
  hookTimeout: 60_000,
  expect: { poll: { timeout: 50_000 } },
  retry: 0,
  // Many tests wait for processes that they started, and leave a processor to others.
  maxWorkers: availableParallelism() + 1,
};

/** Files share the process of their worker, so that each module is loaded once: nothing of a test remains for the next. */
const sharedProcess = { isolate: false, restoreMocks: true, unstubEnvs: true, unstubGlobals: true };

export default defineConfig({
  test: {
    projects: [
      // Logic without a database, beside its source.
      {
        resolve,
        test: {
          ...shared,
          ...sharedProcess,
          name: 'unit',
          include: ['{packages,src,clients,tools}/**/*.test.ts'],
          globalSetup: ['test/support/built.ts'],
        },
      },
      // Everything else, with one PostgreSQL per run. It starts only when a file of this project is run.
      {
        resolve,
        test: {
          ...shared,
          ...sharedProcess,
          name: 'integration',
          include: ['test/**/*.test.ts'],
          exclude: ['test/browser/**', 'test/clients/**'],
          globalSetup: [
            'test/support/built.ts',
            'test/support/drawn-images.ts',
            'test/support/global-setup.ts',
          ],
        },
      },
      // The pages and their scripts, in a real Chromium.
      {
        resolve,
        test: {
          ...shared,
          name: 'browser',
          // A visit takes up to a minute on a quiet machine, and each of its steps has a limit with a message of its own.
          testTimeout: 600_000,
          hookTimeout: 240_000,
          // Most of the time a page waits: for the camera, for the moment of the next picture, for its next attempt.
          maxWorkers: 2 * availableParallelism(),
          sequence: { groupOrder: 1 },
          include: ['test/browser/**/*.test.ts'],
          globalSetup: [
            'test/browser/support/global-setup.ts',
            'test/support/built.ts',
            'test/support/drawn-images.ts',
            'test/support/global-setup.ts',
          ],
        },
      },
      // Published clients against a gateway process. Their packages are installed apart: npm run test:clients.
      {
        test: {
          ...shared,
          name: 'clients',
          include: ['test/clients/**/*.test.ts'],
          globalSetup: ['test/support/built.ts', 'test/clients/support/global-setup.ts'],
        },
      },
    ],
  },
});
