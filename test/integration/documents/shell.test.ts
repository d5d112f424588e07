import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import {
  DOCUMENTS,
  differencesOf,
  isRunElsewhere,
  ROOT,
  type Snippet,
  snippetsOf,
} from '../../support/documents.ts';
import type { TestProject } from '../../support/gateway.ts';
import { playedVerification } from '../../support/verification.ts';
import { type Receiver, startReceiver } from '../../support/webhook-receiver.ts';
import { type CommandServer, HOSTED, startCommandServer } from './command-server.ts';
import {
  type DocumentGateway,
  makeReaderFolder,
  OPERATION_HASH,
  openDocumentGateway,
  seedProject,
} from './world.ts';

// A document has up to fifty commands.
vi.setConfig({ testTimeout: 400_000 });

/*
 * The commands of the documents, run by bash as a reader runs them: all blocks of a document in one shell, so
 * that variables remain, against a gateway with a separate project. A rejected HTTP request and a failed
 * command end the shell. Commands of the program run in one process, which loads the service once. The program itself runs
 * those that depend on their process: its version and its help, a check of its installation, a command that reads a pipe, and
 * one that runs until Ctrl-C.
 */

/** Ends commands that run until Ctrl-C, and calls the program without npm. */
const PREAMBLE = `
${HOSTED}
set -eo pipefail
export LC_ALL=C.UTF-8
until_stopped() { timeout --signal=INT 5 "$@" || [ $? = 124 ]; }
curl() {
  case "$*" in
    *' -N '* | '-N '*) command curl --max-time 3 "$@" || [ $? = 28 ] ;;
    *) command curl --fail-with-body "$@" ;;
  esac
}
vouchgraph() {
  case "$*" in
    'webhook tail'*) until_stopped "$NODE" "$ROOT/bin/vouchgraph.mjs" "$@" ;;
    'serve'*) until_stopped "$NODE" "$ROOT/bin/vouchgraph.mjs" "$@" ;;
    --* | doctor* | 'project create'*) "$NODE" "$ROOT/bin/vouchgraph.mjs" "$@" ;;
    *) if [ -p /dev/stdin ]; then "$NODE" "$ROOT/bin/vouchgraph.mjs" "$@"; else hosted "$@"; fi ;;
  esac
}
npm() {
  [ "$1" = run ] || { echo "npm $*: unexpected" >&2; exit 1; }
  shift
  [ "$1" != -s ] || shift
  [ "$1" = vouchgraph ] || { echo "npm run $1: unexpected" >&2; exit 1; }
  shift 2
  vouchgraph "$@"
}
npx() {
  [ "$1" = vouchgraph ] || { echo "npx $1: unexpected" >&2; exit 1; }
  "$@"
}
`;

let opened: DocumentGateway;
let receiver: Receiver;
let commandFolder: string;
let commands: CommandServer;
beforeAll(async () => {
  [opened, receiver] = await Promise.all([openDocumentGateway(), startReceiver()]);
  commandFolder = await mkdtemp(path.join(tmpdir(), 'vouchgraph-command-server-'));
  commands = await startCommandServer(commandFolder);
});
afterAll(async () => {
  await commands.close();
  await rm(commandFolder, { recursive: true });
  await opened.close();
  await receiver.close();
});

const SUSPICIOUS = { simulate: 'success', simulate_decision: 'Suspicious' };

/** Placeholders of the documents for ids of the reader, and addresses of the reader's gateways. */
async function replacementsFor(project: TestProject): Promise<[string | RegExp, string][]> {
  const { baseUrl, app } = opened.gateway;
  const spare = await app.projects.createKey(project.projectId, 'read');
  const { createWebhookEndpoint } = await project.graphql(
    `mutation { createWebhookEndpoint(input: { url: "${receiver.url()}" }) { endpoint { endpointId } } }`,
  );
  return [
    [/(?:localhost|127\.0\.0\.1):4000/g, new URL(baseUrl).host],
    [/https:\/\/(?:id|test)\.example\.com/g, baseUrl],
    [/vg_live_…/g, project.key],
    [/\bPROJECT(?:_ID)?\b(?!=)/g, project.projectId],
    [/\bKEY_ID\b/g, spare.keyId],
    [/\bENDPOINT_ID\b/g, createWebhookEndpoint.endpoint.endpointId],
    [/\bSESSION_ID\b/g, await project.session()],
    [/\bVERIFICATION_ID\b/g, await playedVerification(opened.gateway, project, SUSPICIOUS)],
    [/\bHASH\b/g, OPERATION_HASH],
    [/--port 8080/g, '--port 0'],
    // With a production project, webhooks would go to no receiver on this machine.
    [/--environment production/g, '--environment sandbox'],
  ];
}

function scriptOf(snippets: readonly Snippet[], replacements: readonly [string | RegExp, string][]): string {
  const blocks = snippets.map(({ text, line }) => {
    const command = replacements.reduce((all, [from, to]) => all.replaceAll(from, to), text);
    return `echo 'line ${line}' >&2\n{\n${command}\n} > out.${line} < /dev/null\nunset VOUCHGRAPH_URL VOUCHGRAPH_API_KEY\n`;
  });
  return PREAMBLE + blocks.join('\n');
}

async function runScript(
  script: string,
  folder: string,
  key: string,
): Promise<{ code: number; errors: string }> {
  const file = path.join(folder, 'script.sh');
  await writeFile(file, script);
  const child = spawn('bash', [file], {
    cwd: folder,
    env: {
      PATH: process.env.PATH,
      HOME: process.env.HOME,
      NODE: process.execPath,
      ROOT,
      KEY: key,
      COMMAND_SERVER: commands.socket,
      NODE_COMPILE_CACHE: path.join(ROOT, 'node_modules/.cache/node-compile'),
      ...opened.environment,
    },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let errors = '';
  child.stderr.on('data', (chunk: Buffer) => {
    errors += chunk;
  });
  const [code] = await once(child, 'close');
  return { code, errors };
}

/** The last JSON value of an output: `curl -s` adds no line end. */
function lastAnswer(output: string): unknown {
  const starts = [...output.matchAll(/(?:^|\n|\})(?=\{)/g)].map(
    ({ index, 0: before }) => index + before.length,
  );
  for (const start of starts.toReversed()) {
    try {
      return JSON.parse(output.slice(start));
    } catch {
      // A brace inside a value.
    }
  }
  throw new Error(`no JSON in ${output}`);
}

const isCommand = (snippet: Snippet) => snippet.language === 'sh' && !isRunElsewhere(snippet);
const WITH_COMMANDS = DOCUMENTS.filter((file) => snippetsOf(file).some(isCommand));

/** Documents for the first project of a reader, in their order: both quote values of their answers. */
const FIRST_REQUESTS = ['README.md', 'docs/quickstart.md'];
const IN_ORDER = [...FIRST_REQUESTS, ...WITH_COMMANDS.filter((file) => !FIRST_REQUESTS.includes(file))];
const FAILED_REQUEST = /"errors":\s*\[|"statusCode":/;

describe('the commands', () => {
  let first: TestProject | undefined;

  it.each(IN_ORDER)('of %s do what the document describes', async (file) => {
    const isFirst = FIRST_REQUESTS.includes(file);
    if (isFirst) first ??= await opened.gateway.project();
    const project = isFirst ? first! : await seedProject(opened.gateway);
    const { folder, remove } = await makeReaderFolder(opened.gateway.baseUrl, project);
    try {
      const keys = { operator: project, test: project, live: await seedProject(opened.gateway) };
      for (const [name, { key }] of Object.entries(keys))
        await writeFile(path.join(folder, `${name}.key`), key);
      const snippets = snippetsOf(file);
      const script = scriptOf(snippets.filter(isCommand), await replacementsFor(project));
      const { code, errors } = await runScript(script, folder, project.key);
      expect(code, errors).toBe(0);
      for (const [index, { language, note, line, text }] of snippets.entries()) {
        const request = snippets[index - 1];
        if (isCommand(snippets[index]!) && snippets[index + 1]?.note !== 'answer')
          expect(await readFile(path.join(folder, `out.${line}`), 'utf8'), `${file}:${line}`).not.toMatch(
            FAILED_REQUEST,
          );
        if (language !== 'json' || note !== 'answer' || request?.language !== 'sh') continue;
        const answer = lastAnswer(await readFile(path.join(folder, `out.${request.line}`), 'utf8'));
        expect(differencesOf(JSON.parse(text), answer), `${file}:${line}`).toEqual([]);
        if (isFirst) expect(answer).toMatchObject(JSON.parse(text));
      }
    } finally {
      await remove();
    }
  });
});
