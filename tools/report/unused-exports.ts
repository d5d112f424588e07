import { execFileSync } from 'node:child_process';
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { withoutTests } from '../../knip.product.ts';

type Issues = { issues: { file: string; exports?: { name: string }[]; files?: unknown[] }[] };
type Config = Parameters<typeof withoutTests>[0];

export type UnusedExports = {
  /** Files and exports that the product does not reach, though tests may. */
  readonly dead: readonly string[];
  /** Exports that the product uses in their own file alone, and tests import. */
  readonly onlyForTests: readonly string[];
  /** Exports that no other file imports, not even a test. */
  readonly onlyInFile: readonly string[];
};

/** What knip finds unused with tests left out, and with them. */
export function findUnusedExports(root: string): UnusedExports {
  const config = JSON.parse(readFileSync(join(root, 'knip.json'), 'utf8')) as Config;
  const product = withoutTests(config);
  const everywhere = { ignoreExportsUsedInFile: false };
  const dead = runKnip(root, product);
  const notImported = runKnip(root, { ...product, ...everywhere }).filter((one) => !dead.includes(one));
  const onlyInFile = runKnip(root, { ...config, ...everywhere });
  return {
    dead,
    onlyForTests: notImported.filter((one) => !onlyInFile.includes(one)),
    onlyInFile,
  };
}

/** Unused files, and exports as `path name`, in order. */
function runKnip(root: string, config: object): string[] {
  const configFile = join(root, 'knip.report.json');
  writeFileSync(configFile, JSON.stringify(config));
  try {
    const args = [
      resolve('node_modules/knip/bin/knip.js'),
      ...['--no-config-hints', '--no-exit-code', '--reporter', 'json'],
      ...['--include', 'exports,files', '--directory', root, '--config', configFile],
    ];
    const options = { cwd: root, encoding: 'utf8', maxBuffer: 1 << 26 } as const;
    const { issues } = JSON.parse(execFileSync(process.execPath, args, options)) as Issues;
    return issues
      .flatMap(({ file, exports = [], files = [] }) => [
        ...files.map(() => file),
        ...exports.map(({ name }) => `${file} ${name}`),
      ])
      .sort();
  } finally {
    rmSync(configFile);
  }
}
