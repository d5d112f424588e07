import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'vite';
import { PARTS } from './parts.ts';
import { stagingFolder } from './staging.ts';

/*
 * What the bundles have in common.
 */

export const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** The code of a page's script, as one file. `script` is the file of tools/build that bundles it. */
export async function bundlePageScript(script: string, client: string, entry: string): Promise<string> {
  const sources = new URL(`../../clients/${client}/`, import.meta.url);
  const result = await build({
    configFile: false,
    logLevel: 'warn',
    root: fileURLToPath(sources),
    build: {
      write: false,
      target: 'es2022',
      minify: true,
      copyPublicDir: false,
      modulePreload: false,
      rolldownOptions: {
        input: fileURLToPath(new URL(entry, sources)),
        output: { format: 'iife', codeSplitting: false },
      },
    },
  });
  const [built] = Array.isArray(result) ? result : [result];
  const output = built && 'output' in built ? built.output : [];
  if (output.length !== 1) throw new Error(`${entry}: ${output.length} files instead of one`);
  assertDeclared(script, output[0]!.moduleIds);
  return output[0]!.code.trimEnd();
}

/** Writes a file of a client's `generated/`. */
export async function writeGenerated(client: string, file: string, text: string): Promise<void> {
  const path = join(stagingFolder(), 'clients', client, 'generated', file);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
}

/** The terms of what is bundled have to go with every copy. */
export async function licensesOf(packages: readonly string[]): Promise<string> {
  const texts = await Promise.all(
    packages.map(async (name) => {
      const folder = join(ROOT, 'node_modules', name);
      const file = (await readdir(folder)).find((each) => /^licen[cs]e(\.\w+)?$/i.test(each));
      if (file === undefined) throw new Error(`${name} has no file with its terms`);
      const text = await readFile(join(folder, file), 'utf8');
      return `${name}\n\n${text.trim()}\n`;
    }),
  );
  return texts.join('\n\n');
}

/** Name of the package that a module belongs to; null for modules of this repository. */
export function packageOf(module: string): string | null {
  return /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(module.replaceAll('\\', '/'))?.[1] ?? null;
}

/** Names the version of every package: a part with this input may contain the packages of its packages. */
const LOCK_FILE = 'package-lock.json';

/**
 * Refuses a bundle with modules that its part does not declare as inputs or packages: a change of these would leave the
 * bundle as it is.
 */
export function assertDeclared(script: string, modules: readonly string[]): void {
  const part = PARTS.find((one) => one.script === `tools/build/${script}`)!;
  for (const module of modules) {
    // Helpers of the bundler itself.
    if (module.startsWith('\0')) continue;
    const path = module.replaceAll('\\', '/');
    const ofPackage = packageOf(path);
    const isDeclared =
      ofPackage !== null
        ? part.packages.includes(ofPackage) || part.inputs.includes(LOCK_FILE)
        : part.inputs.some((input) => path.startsWith(`${ROOT.replaceAll('\\', '/')}${input}`));
    if (!isDeclared)
      throw new Error(`${path} is neither an input nor a package of "${part.name}" in parts.ts`);
  }
}
