import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { generateMasterKey } from '@vouchgraph/platform/crypto';
import { run } from '../../acceptance/gateway-process.ts';
import { type Body, type Gateway, startGateway, type TestProject } from '../../support/gateway.ts';
import { type Ended, runCommand } from '../../support/run-command.ts';

/** A command on the project of the local database, or on that of the gateway over HTTP. */
export type Caller = {
  readonly name: string;
  /** Runs a command of a group, such as `list` or `email domains`, with its arguments; the project is added where required. */
  call(group: string, command: string, ...args: string[]): Promise<Ended>;
  /** The JSON that the command prints. */
  json(group: string, command: string, ...args: string[]): Promise<Body>;
  /** Starts a command that runs until it is stopped. */
  start(group: string, command: string, ...args: string[]): ReturnType<typeof run>;
};

export type CommandWorld = {
  gateway: Gateway;
  project: TestProject;
  folder: string;
  environment: Record<string, string>;
  local: Caller;
  remote: Caller;
  /** The same project by another gateway of the database, or with another key. */
  remoteAt(baseUrl: string, key?: string): Caller;
  close(): Promise<void>;
};

/** A gateway with a project, and both ways to reach it on the command line. */
export async function openCommandWorld(settings: Record<string, string> = {}): Promise<CommandWorld> {
  const masterKey = generateMasterKey();
  const gateway = await startGateway({ masterKey, settings: { WEBHOOK_ALLOW_LOOPBACK: '1', ...settings } });
  const project = await gateway.project();
  const folder = await mkdtemp(path.join(tmpdir(), 'vouchgraph-commands-'));
  const environment = {
    DATABASE_URL: gateway.database.ownerUrl,
    MASTER_KEY: masterKey,
    WEBHOOK_ALLOW_LOOPBACK: '1',
  };
  const remoteAt = (url: string, key = project.key) =>
    callerOf('remote', { VOUCHGRAPH_URL: url, VOUCHGRAPH_API_KEY: key }, (group, command, args) => [
      ...group.split(' '),
      command,
      ...args,
    ]);
  return {
    gateway,
    project,
    folder,
    environment,
    local: callerOf('local', environment, (group, command, args) => [
      ...group.split(' '),
      command,
      project.projectId,
      ...args,
    ]),
    remote: remoteAt(gateway.baseUrl),
    remoteAt,
    async close() {
      await rm(folder, { recursive: true, force: true });
      await gateway.close();
    },
  };
}

function callerOf(
  name: string,
  environment: Record<string, string>,
  argsOf: (group: string, command: string, args: readonly string[]) => string[],
): Caller {
  const call: Caller['call'] = (group, command, ...args) =>
    runCommand(argsOf(group, command, args), environment);
  return {
    name,
    call,
    start: (group, command, ...args) => run(argsOf(group, command, args), environment),
    async json(group, command, ...args) {
      const { code, output, errors } = await call(group, command, ...args, '--json');
      if (code !== 0) throw new Error(`${code} ${errors}`);
      return JSON.parse(output);
    },
  };
}
