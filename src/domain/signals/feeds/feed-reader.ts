import { readFile, stat } from 'node:fs/promises';
import { Worker } from 'node:worker_threads';
import { type Feed, listFeed, readFeed } from './feed.ts';
import type { FeedList } from './feed-list.ts';
import type { FeedManifest } from './feed-manifest.ts';

/** Larger lists are read on a thread of their own: a million lines take seconds, in which nobody would get an answer. */
const LARGEST_INLINE_BYTES = 512 * 1024;

/** What a list may take while it is read, in MB. Beyond it the list is refused and the gateway goes on. */
const MOST_MEMORY_MB = 2048;

export type FeedListTask = { manifest: FeedManifest; file: string };
export type FeedListAnswer = { list?: FeedList; error?: { code?: string; message: string } };

/** Reads a feed without keeping the process from answering. Throws one line, or an error of the file. */
export async function readFeedFile(manifest: FeedManifest, file: string): Promise<Feed> {
  const isSmall = manifest.format === 'mmdb' || (await stat(file)).size <= LARGEST_INLINE_BYTES;
  if (isSmall) return readFeed(manifest, await readFile(file));
  return listFeed(manifest, await readOnThread({ manifest, file }));
}

function readOnThread(task: FeedListTask): Promise<FeedList> {
  const { promise, resolve, reject } = Promise.withResolvers<FeedList>();
  const worker = new Worker(new URL('./feed-list-worker.ts', import.meta.url), {
    workerData: task,
    resourceLimits: { maxOldGenerationSizeMb: MOST_MEMORY_MB },
  });
  worker.on('message', ({ list, error }: FeedListAnswer) => {
    if (list) resolve(list);
    else reject(Object.assign(new Error(error?.message), { code: error?.code }));
  });
  worker.on('error', () => reject(new Error('it takes more memory to read than there is for it')));
  worker.on('exit', () => reject(new Error('it could not be read')));
  return promise;
}
