import path from 'node:path';
import { expect, it, vi } from 'vitest';
import { FOLDER } from '../support/folders.ts';
import { unique } from '../support/sandbox.ts';
import { generatePython } from './generate-python.ts';
import { run } from './run.ts';

vi.setConfig({ testTimeout: 180_000 });

it('Python classes of every body compile, type-check and read real responses', async () => {
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
