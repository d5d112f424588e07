import { readFile } from 'node:fs/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { readFeedList } from './feed-list.ts';
import type { FeedListAnswer, FeedListTask } from './feed-reader.ts';

/* Reads one list on a thread of its own, and ends. */
const { manifest, file } = workerData as FeedListTask;
let answer: FeedListAnswer;
try {
  answer = { list: readFeedList(manifest, await readFile(file)) };
} catch (error) {
  const { code, message } = error as NodeJS.ErrnoException;
  answer = { error: { code, message } };
}
const { starts4, tags4, starts6, tags6 } = answer.list?.ranges ?? {};
const arrays = [starts4, tags4, starts6, tags6].flatMap((array) => array?.buffer ?? []);
parentPort?.postMessage(answer, arrays as ArrayBuffer[]);
