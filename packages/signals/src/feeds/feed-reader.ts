import { fork } from 'node:child_process';
import { readFile, stat } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { type Feed, listFeed, readFeed } from './feed.ts';
import type { FeedList } from './feed-list.ts';
import type { FeedManifest } from './feed-manifest.ts';

/**
 * Larger lists are read in a process of their own: a million lines take seconds, which would block all requests, and
 * memory that a thread would not release.
 */
const MAX_INLINE_BYTES = 512 * 1024;

/** Memory limit for reading a list, in MB. A list that exceeds it is refused, and the gateway continues. */
const MAX_MEMORY_MB = 2048;

const PROCESS = fileURLToPath(new URL('./feed-list-process.ts', import.meta.url));

export type FeedListTask = { manifest: FeedManifest; file: string };
export type FeedListAnswer = { list?: FeedList; error?: { code?: string; message: string } };

/** Reads a feed without blocking the process. Throws a message of one line, or an error of the file. */
export async function readFeedFile(manifest: FeedManifest, file: string): Promise<Feed> {
  const isSmall = manifest.format === 'mmdb' || (await stat(file)).size <= MAX_INLINE_BYTES;
  if (isSmall) return readFeed(manifest, await readFile(file));
  return listFeed(manifest, await readInProcess({ manifest, file }));
}

/** The process receives no settings of the gateway, and its output is ignored: it returns its result in a message. */
function readInProcess(task: FeedListTask): Promise<FeedList> {
  const { promise, resolve, reject } = Promise.withResolvers<FeedList>();
  const child = fork(PROCESS, {
    env: {},
    execArgv: [`--max-old-space-size=${MAX_MEMORY_MB}`],
    serialization: 'advanced',
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
  });
  child.once('message', (answer) => {
    const { list, error } = answer as FeedListAnswer;
    if (list) resolve(list);
    else reject(Object.assign(new Error(error?.message), { code: error?.code }));
  });
  child.once('error', reject);
  child.once('exit', () =>
    reject(new Error('the process that reads the list stopped, possibly for lack of memory')),
  );
  child.send(task);
  return promise;
}
