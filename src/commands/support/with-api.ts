import { readFile } from 'node:fs/promises';
import { OperatorError } from '../../platform/errors.ts';
import type { Api } from './api.ts';
import { UsageError } from './usage-error.ts';
import { type RequiredDatabase, withProject } from './with-database.ts';

/** Target of a command: a gateway, or the local database of a project. */
export type Target = {
  readonly url?: string | undefined;
  readonly key?: string | undefined;
  readonly keyFile?: string | undefined;
  /** Whether the key is an argument of the call, and not of the environment. */
  readonly isKeyGiven: boolean;
  /** Null for a gateway, whose key belongs to one project. */
  readonly projectId: string | null;
  readonly required?: RequiredDatabase;
};

/** Connections to the local database: of the command, and of a backtest that it runs. */
const CONNECTIONS = 3;

/** Runs work with the API of a gateway or of the local database, which is closed afterwards. */
export async function withApi(target: Target, work: (api: Api) => Promise<void>): Promise<void> {
  const { projectId } = target;
  if (projectId === null) {
    const { openRemoteApi } = await import('./remote-api.ts');
    return work(openRemoteApi(checkUrl(target.url ?? ''), await readKey(target)));
  }
  if (target.isKeyGiven || target.keyFile !== undefined)
    throw new UsageError(
      '--key and --key-file require --url: the local database is opened without a key',
      'key',
    );
  await withProject(
    projectId,
    CONNECTIONS,
    async (viewer, storage) => {
      const { openLocalApi } = await import('./local-api.ts');
      await work(openLocalApi(viewer, storage));
    },
    target.required,
  );
}

function checkUrl(text: string): string {
  const url = URL.parse(text);
  if (!url || !/^https?:$/.test(url.protocol) || url.username !== '' || url.search !== '' || url.hash !== '')
    throw new UsageError(
      '--url must be an http or https URL without user, query and fragment, such as https://id.example.com',
      'url',
    );
  return url.href;
}

async function readKey({ key, keyFile, isKeyGiven }: Target): Promise<string> {
  if (isKeyGiven && keyFile !== undefined)
    throw new UsageError('--key and --key-file cannot be combined', 'key');
  const text = keyFile === undefined ? (key ?? '') : await readKeyFile(keyFile);
  if (text.trim() === '')
    throw new UsageError('--url requires an API key: set VOUCHGRAPH_API_KEY or pass --key-file', 'key');
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
