import { spawn } from 'node:child_process';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { until } from '../../acceptance/gateway-process.ts';
import { ROOT, snippetsOf } from '../../support/documents.ts';
import type { TestProject } from '../../support/gateway.ts';
import { type DocumentGateway, openDocumentGateway, seedProject } from './world.ts';

/* The programs of the documents, each as a process in a folder below the packages of the repository. */

let opened: DocumentGateway;
let project: TestProject;
let folder: string;

beforeAll(async () => {
  opened = await openDocumentGateway();
  project = await seedProject(opened.gateway);
  await mkdir(path.join(ROOT, '.build'), { recursive: true });
  folder = await mkdtemp(path.join(ROOT, '.build/documents-'));
});
afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
  await opened.close();
});

/** Starts the first program of a document in a language. */
async function startProgram(document: string, language: string, name: string) {
  const { text } = snippetsOf(document).find((snippet) => snippet.language === language)!;
  const { host } = new URL(opened.gateway.baseUrl);
  await writeFile(path.join(folder, name), text.replaceAll(/(?:localhost|127\.0\.0\.1):4000/g, host));
  const child = spawn(process.execPath, [name], {
    cwd: folder,
    env: { PATH: process.env.PATH, KEY: project.key, VOUCHGRAPH_API_KEY: project.key },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => {
      output += chunk;
    });
  return { child, output: () => output };
}

it('the client of docs/quickstart.md prints the project and exits', async () => {
  const { child, output } = await startProgram('docs/quickstart.md', 'js', 'ws.mjs');
  await until('the end of the program', async () => child.exitCode !== null);
  expect(output()).toMatch(/environment: 'SANDBOX'/);
  expect(child.exitCode).toBe(0);
});

it('the subscriber of docs/events.md prints events', async () => {
  const { child, output } = await startProgram('docs/events.md', 'ts', 'events.ts');
  try {
    await until('an event', async () => {
      await project.authenticate({ id: 'alice' });
      return /ACCOUNT_AUTHENTICATED/.test(output());
    });
    expect(output()).toMatch(/cursor: '.+'/);
    expect(output()).toMatch(/accountId: 'alice'/);
  } finally {
    child.kill();
  }
});
