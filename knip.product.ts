import type { KnipConfig } from 'knip';
import knip from './knip.json' with { type: 'json' };

/** A configuration of knip without the tests: what remains unused is dead code that only tests reach. */
export function withoutTests<Config extends { entry: string[]; project: string[] }>(config: Config) {
  return {
    ...config,
    entry: config.entry.filter((pattern) => !pattern.startsWith('test/')),
    project: [...config.project.filter((pattern) => !pattern.startsWith('test/')), '!**/*.test.ts'],
    vitest: false as const,
  };
}

export default withoutTests(knip) satisfies KnipConfig;
