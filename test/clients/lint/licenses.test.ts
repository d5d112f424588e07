import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from 'vitest';
import { FOLDER } from '../support/folders.ts';

const PERMITTED = new Set([
  'MIT',
  'Apache-2.0',
  'BSD-2-Clause',
  'BSD-3-Clause',
  '0BSD',
  'ISC',
  'Unlicense',
  'CC0-1.0',
  'MPL-2.0',
]);

/** Packages with other licenses, each with its reason in README.md. None is part of the product. */
const EXCEPTIONS: Record<string, string> = {
  '@isaacs/nonrecursive-glob-match': 'BlueOak-1.0.0',
  argparse: 'Python-2.0',
  'caniuse-lite': 'CC-BY-4.0',
  minimatch: 'BlueOak-1.0.0',
};

/** Whether one of the licenses that a package offers is permitted. */
const isPermitted = (expression = '') =>
  expression
    .replace(/[()]/g, '')
    .split(' OR ')
    .some((choice) => choice.split(' AND ').every((part) => PERMITTED.has(part)));

it('installs packages with permitted licenses, and the exceptions that the README explains', async () => {
  const [lock, readme] = await Promise.all(
    ['package-lock.json', 'README.md'].map((name) => readFile(path.join(FOLDER, name), 'utf8')),
  );
  const packages: Record<string, { license?: string }> = JSON.parse(lock!).packages;
  const others = Object.entries(packages)
    .filter(([, { license }]) => !isPermitted(license))
    .map(([folder, { license }]) => [folder.split('node_modules/').at(-1), license]);
  expect(Object.fromEntries(others)).toEqual(EXCEPTIONS);
  for (const name of Object.keys(EXCEPTIONS)) expect(readme).toContain(`\`${name}\``);
});
