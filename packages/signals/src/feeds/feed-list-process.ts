import { readFile } from 'node:fs/promises';
import { readFeedList } from './feed-list.ts';
import type { FeedListAnswer, FeedListTask } from './feed-reader.ts';

/* Reads one list in a separate process, and exits. */
process.once('message', async (task) => {
  const answer = await answerTo(task as FeedListTask);
  process.send?.(answer, () => process.disconnect());
});

async function answerTo({ manifest, file }: FeedListTask): Promise<FeedListAnswer> {
  try {
    return { list: readFeedList(manifest, await readFile(file)) };
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    return { error: { code, message } };
  }
}
