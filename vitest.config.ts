import { defineConfig } from 'vitest/config';

const shared = {
  pool: 'forks' as const,
  // Two machines' worth of patience: a test that waits, waits for a condition, so that only a broken one gets here.
  testTimeout: 30_000,
  hookTimeout: 60_000,
  retry: 0,
};

export default defineConfig({
  test: {
    projects: [
      // Logic without a database, beside its source.
      { test: { ...shared, name: 'unit', include: ['src/**/*.test.ts'] } },
      // Everything else, with one PostgreSQL per run. It starts only when a file of this project is run.
      {
        test: {
          ...shared,
          name: 'integration',
          include: ['test/**/*.test.ts'],
          globalSetup: ['test/support/global-setup.ts'],
        },
      },
    ],
  },
});
