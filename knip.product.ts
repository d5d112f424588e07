import type { KnipConfig } from 'knip';
import knip from './knip.json' with { type: 'json' };

type Workspace = { entry: string[]; project: string[]; includeEntryExports?: boolean };

/** A configuration of knip without the tests: what remains unused is dead code that only tests reach. */
export function withoutTests<Config extends { workspaces: Record<string, Workspace> }>(config: Config) {
  const product = (patterns: string[]) => patterns.filter((pattern) => !pattern.startsWith('test/'));
  const workspaces = Object.entries(config.workspaces).map(([name, { entry, project, ...rest }]) => [
    name,
    {
      ...rest,
      entry: product(entry),
      project: [...product(project), '!**/*.test.ts', '!**/*-for-tests.ts'],
      vitest: false as const,
    },
  ]);
  return { ...config, workspaces: Object.fromEntries(workspaces) };
}

export default withoutTests(knip) satisfies KnipConfig;
