import { readFile } from 'node:fs/promises';
import { OperatorError } from '@vouchgraph/platform/errors';
import { UsageError } from '@vouchgraph/terminal';
import type { Viewer } from '../../domain/projects/access-service.ts';
import type { Api } from './api.ts';
import { gatewaySource } from './gateway-source.ts';
import type { CommandStorage } from './open-project.ts';
import type { ProjectChoice } from './project-argument.ts';
import type { Gateway } from './remote-http.ts';
import { type RequiredDatabase, withProject } from './with-database.ts';

/** Target of a command: a gateway, or the local database of a project. */
export type Target = {
  readonly url?: string | undefined;
  readonly key?: string | undefined;
  readonly keyFile?: string | undefined;
  /** Whether the key is an argument of the call, and not of the environment. */
  readonly isKeyGiven: boolean;
  /** Null for a gateway, whose key belongs to one project. */
  readonly project: ProjectChoice | null;
  readonly required?: RequiredDatabase;
};

/** Connections to the local database: of the command, and of a backtest that it runs. */
const CONNECTIONS = 3;

/**
 * Runs work with the API of a gateway or of the local database, which is closed afterwards. `isFirst`: the project is the
 * first argument, which the command has read as its own.
 */
export function withApi(target: Target, work: (api: Api, isFirst: boolean) => Promise<void>): Promise<void> {
  return atTarget(target, CONNECTIONS, {
    remote: async (gateway) => {
      const { openRemoteApi } = await import('./remote-api.ts');
      await work(openRemoteApi(gateway), false);
    },
    local: async (viewer, storage, isFirst) => {
      const { openLocalApi } = await import('./local-api.ts');
      await work(openLocalApi(viewer, storage), isFirst);
    },
  });
}

/** Runs one of two works: that of a gateway, or that of the local database, with this many connections. */
export async function atTarget(
  target: Target,
  connections: number,
  work: {
    remote: (gateway: Gateway) => Promise<void>;
    local: (viewer: Viewer, storage: CommandStorage, isFirst: boolean) => Promise<void>;
  },
): Promise<void> {
  if (target.project === null)
    return work.remote({ url: checkUrl(target.url ?? ''), key: await readKey(target) });
  if (target.isKeyGiven || target.keyFile !== undefined)
    throw new UsageError(
      '--key and --key-file require --url: the local database is opened without a key',
      'key',
    );
  await withProject(target.project, connections, work.local, target.required);
}

function checkUrl(text: string): string {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol) || url.username + url.password + url.search + url.hash !== '')
    throw new UsageError(
      `${gatewaySource()} must be an http or https URL without user, password, query and fragment, such as https://id.example.com`,
      'url',
    );
  return url.href;
}

async function readKey({ key, keyFile, isKeyGiven }: Target): Promise<string> {
  if (isKeyGiven && keyFile !== undefined)
    throw new UsageError('--key and --key-file cannot be combined', 'key');
  const text = keyFile === undefined ? (key ?? '') : await readKeyFile(keyFile);
  if (text.trim() === '')
    throw new UsageError(
      `${gatewaySource()} requires an API key: set VOUCHGRAPH_API_KEY or pass --key-file`,
      'key',
    );
  // A header contains nothing else; the text does not repeat the key.
  if (!/^[\x21-\x7e]{1,512}$/.test(text.trim()))
    throw new UsageError('The API key must be at most 512 printable ASCII characters without spaces', 'key');
  return text.trim();
}

async function readKeyFile(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new OperatorError(`${file} cannot be read: ${(error as NodeJS.ErrnoException).code}`);
  }
}
