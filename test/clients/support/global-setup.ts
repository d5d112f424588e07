import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import type { TestProject } from 'vitest/node';
import { makeFolder, type Sandbox, start } from '../../acceptance/gateway-process.ts';
import { FOLDER, GENERATED, UNLIMITED } from './folders.ts';

const execute = promisify(execFile);

declare module 'vitest' {
  interface ProvidedContext {
    sandbox: Sandbox;
    /** Output of relay-compiler. */
    relayCompilerOutput: string;
  }
}

/** Runs a command of this package and returns all that it printed; fails with it. */
async function runTool(name: string, ...args: string[]): Promise<string> {
  const tool = path.join(FOLDER, 'node_modules/.bin', name);
  try {
    const { stdout, stderr } = await execute(tool, args, {
      cwd: FOLDER,
      env: { ...process.env, NO_COLOR: '1' },
    });
    return stdout + stderr;
  } catch (error) {
    const { message, stdout = '', stderr = '' } = error as Error & { stdout?: string; stderr?: string };
    throw new Error([message, stdout, stderr].join('\n'));
  }
}

/** One gateway for all files, and the output of each generator for its interface. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  if (!existsSync(path.join(FOLDER, 'node_modules')))
    throw new Error('The packages of test/clients are not installed: run `npm ci --prefix test/clients`');
  await rm(GENERATED, { recursive: true, force: true });
  for (const name of ['relay', 'typed', 'rest']) await mkdir(path.join(GENERATED, name), { recursive: true });

  const { folder, remove } = await makeFolder();
  const generators = Promise.all([
    runTool('relay-compiler', 'relay.config.json'),
    runTool('graphql-codegen', '--config', 'codegen.ts', '--verbose'),
  ]);
  // Awaited below: a failure while the gateway starts is not unhandled.
  generators.catch(() => {});
  const { gateway, sandbox } = await start(path.join(folder, 'data'), UNLIMITED);
  const close = async () => {
    gateway.signal('SIGTERM');
    await gateway.exited;
    await remove();
  };
  try {
    const [relayCompilerOutput] = await generators;
    const openapi = await fetch(`${sandbox.base_url}/openapi.json`);
    await writeFile(path.join(GENERATED, 'rest/openapi.json'), await openapi.text());
    await runTool(
      'openapi-typescript',
      'generated/rest/openapi.json',
      '--output',
      'generated/rest/openapi.ts',
    );
    project.provide('sandbox', sandbox);
    project.provide('relayCompilerOutput', relayCompilerOutput);
  } catch (error) {
    await close();
    throw error;
  }
  return close;
}
