import { readFile, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import type { ProjectService } from '../../domain/projects/project-service.ts';
import { writeSecretFile } from '../../storage/master-key-file.ts';

/** Data that a script needs to call a sandbox: `DATA_DIR/sandbox.json`. */
export type SandboxFile = { base_url: string; project_id: string; api_key: string };

const FILE = 'sandbox.json';

/**
 * Creates the sandbox project of a first start, or updates the address of an earlier one. The file appears by rename once
 * the gateway responds. The key is on the disk before its hash is in the database, so that a crash in between loses
 * nothing: the next start continues with it. Returns the text to print; null without a change.
 */
export async function prepareSandbox(
  dataDir: string,
  baseUrl: string,
  projects: ProjectService,
): Promise<SandboxFile | null> {
  const file = path.join(dataDir, FILE);
  const known = await projects.projects(1000);
  const earlier = await readFileAt(file);
  if (earlier && known.some((project) => project.project_id === earlier.project_id)) {
    if (earlier.base_url !== baseUrl)
      await writeSecretFile(file, serialize({ ...earlier, base_url: baseUrl }));
    return null;
  }
  const pending = `${file}.pending`;
  const begun = await readFileAt(pending);
  if (begun && known.some((project) => project.project_id === begun.project_id)) {
    await finish(pending, file, { ...begun, base_url: baseUrl });
    return { ...begun, base_url: baseUrl };
  }
  if (known.length > 0) return null;
  const created = await projects.createSandbox((project) =>
    writeSecretFile(
      pending,
      serialize({ base_url: baseUrl, project_id: project.projectId, api_key: project.key }),
    ),
  );
  if (!created) return null;
  const sandbox = { base_url: baseUrl, project_id: created.projectId, api_key: created.key };
  await finish(pending, file, sandbox);
  return sandbox;
}

/** The project and its key, null once the operator removes the file. */
export function readSandbox(dataDir: string): Promise<SandboxFile | null> {
  return readFileAt(path.join(dataDir, FILE));
}

async function finish(pending: string, file: string, sandbox: SandboxFile): Promise<void> {
  await writeSecretFile(pending, serialize(sandbox));
  await rename(pending, file);
  await rm(pending, { force: true });
}

async function readFileAt(file: string): Promise<SandboxFile | null> {
  try {
    const value = JSON.parse(await readFile(file, 'utf8')) as SandboxFile;
    return typeof value.project_id === 'string' && typeof value.api_key === 'string' ? value : null;
  } catch {
    return null;
  }
}

function serialize(sandbox: SandboxFile): string {
  return `${JSON.stringify(sandbox, null, 2)}\n`;
}

/**
 * Output of the first start: requests to paste, the first ones of docs/quickstart.md, with the key if the output is a terminal.
 * Otherwise the requests read the key from the file.
 */
export function welcomeText(
  { base_url, project_id, api_key }: SandboxFile,
  dataDir: string,
  isTerminal: boolean,
): string {
  const file = path.resolve(dataDir, FILE);
  const key = isTerminal ? api_key : `$(sed -n 's/.*"api_key": "\\(.*\\)".*/\\1/p' '${file}')`;
  return `
A sandbox project was created: ${project_id}. Its key has the role operator and is in ${file}.

${base_url}/graphql has examples to run with this key. In a second terminal, create a simulated session and
authenticate an account with it:

  KEY=${key}
  BASE=${base_url}
  post() { curl -s "$BASE$1" -H "x-api-key: $KEY" -H 'content-type: application/json' -d "$2"; }
  SESSION=$(post /session '{"ip_address":"8.8.8.8","device_id":"my-laptop","browser":{"timezone":"Europe/Berlin"}}' |
    sed 's/.*"session_id":"\\([^"]*\\)".*/\\1/')
  post /session/authenticate '{"session_id":"'$SESSION'","account":{"id":"carol","phone":"+44 7911 123456"}}'

docs/quickstart.md explains the answer, and continues with GraphQL and WebSocket.
`;
}
