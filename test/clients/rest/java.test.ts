import { readdir, readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect, it, vi } from 'vitest';
import { FOLDER, GENERATED } from '../support/folders.ts';
import { unique } from '../support/sandbox.ts';
import { GENERATOR, generateJava } from './generate-java.ts';
import { run } from './run.ts';

vi.setConfig({ testTimeout: 180_000 });

type Operations = Record<string, Record<string, { operationId: string }>>;

it('a Java client with a method for each operation compiles, calls the gateway and reads its responses', async () => {
  const sources = await generateJava();
  const classes = path.join(GENERATED, 'java/classes');
  const files = (await readdir(sources, { recursive: true })).filter((name) => name.endsWith('.java'));
  const { paths }: { paths: Operations } = JSON.parse(
    await readFile(path.join(GENERATED, 'rest/openapi.json'), 'utf8'),
  );
  const methods = Object.values(paths)
    .flatMap((route) => Object.values(route))
    .map(({ operationId }) => operationId.replace(/[._](\w)/g, (_, letter: string) => letter.toUpperCase()));
  const apis = files.filter((name) => name.endsWith('Api.java')).map((name) => path.join(sources, name));
  const code = (await Promise.all(apis.map((name) => readFile(name, 'utf8')))).join('\n');
  expect(methods.length).toBeGreaterThan(20);
  expect(methods.filter((name) => !new RegExp(`public \\S+ ${name}\\(`).test(code))).toEqual([]);

  await run(
    'javac',
    ...['-proc:none', '-encoding', 'UTF-8', '-cp', GENERATOR, '-d', classes],
    ...[path.join(FOLDER, 'rest/Client.java'), ...files.map((name) => path.join(sources, name))],
  );
  const classPath = [GENERATOR, classes].join(path.delimiter);
  expect(JSON.parse(await run('java', '-cp', classPath, 'Client', unique('java')))).toEqual({
    sameSession: true,
    decision: 'Real',
    username: 'java',
    changed: 'changed',
    linked: [],
    sessions: 1,
    unknown: 400,
  });
});
