import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect, it, vi } from 'vitest';
import { FOLDER } from '../support/folders.ts';
import { sandbox, unique } from '../support/sandbox.ts';
import { generatePython } from './generate-python.ts';

vi.setConfig({ testTimeout: 180_000 });

const execute = promisify(execFile);
const options = {
  cwd: FOLDER,
  env: { ...process.env, BASE_URL: sandbox.base_url, API_KEY: sandbox.api_key },
};

/** Runs a program and returns what it printed; fails with it, and where the program is not installed. */
async function run(program: string, ...args: string[]): Promise<string> {
  return await execute(program, args, { ...options, maxBuffer: 16 * 1024 * 1024 }).then(
    ({ stdout }) => stdout,
    ({ message, stdout, stderr }) => {
      throw new Error([message, stdout, stderr].join('\n'));
    },
  );
}

it('Python classes of every body compile, type-check and read real answers', async () => {
  const { folder, classes } = await generatePython();
  expect(classes.length).toBeGreaterThan(40);
  await run('python3', '-m', 'py_compile', path.join(folder, 'vouchgraph.py'));
  const pyright = path.join(FOLDER, 'node_modules/.bin/pyright');
  expect(await run(pyright, '--warnings')).toContain('0 errors, 0 warnings');

  const printed = (await run('python3', 'rest/client.py', unique('python'))).trim().split('\n');
  expect(printed).toHaveLength(6);
  for (const line of printed) {
    const { answer, written, name } = JSON.parse(line);
    expect(written, name).toEqual(answer);
  }
});
