import { readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import type { Feed } from './feed.ts';
import { parseManifest } from './feed-manifest.ts';
import { readFeedFile } from './feed-reader.ts';

/** Larger files would not fit into the memory of the gateway. */
const MAX_FEED_BYTES = 256 * 1024 * 1024;

/** A feed of the folder: the list in use, and the error of its current files. */
export type MountedFeed = {
  name: string;
  /** The list in use: the newest that could be read; null without any. */
  feed: Feed | null;
  /** Why the current files are not in use; null when they are. */
  error: string | null;
};

export type FeedFolder = {
  /** The current feeds; a new array after every change. */
  feeds(): readonly MountedFeed[];
  /** Why the folder cannot be read, in which case the previous lists stay in use; null when it can. */
  error(): string | null;
  /** Checks the files now. Changes take effect together, once all are read. */
  reload(): Promise<void>;
  close(): void;
};

type FeedFolderOptions = {
  /** Interval of checks for changes; null for none. */
  everyMs?: number | null;
  /** Larger files are refused. */
  maxBytes?: number;
  /** Called once for each list, or for the folder, whose current content cannot be read. */
  onProblem?: (feed: string, reason: string) => void;
};

type Known = MountedFeed & { stamp: string };

/**
 * The operator's lists in a folder, one manifest each. A missing folder has none. With `everyMs` the files are checked
 * for changes at this interval; a list that can no longer be read keeps its previous content.
 */
export async function openFeedFolder(
  folder: string,
  { everyMs = null, maxBytes = MAX_FEED_BYTES, onProblem = () => {} }: FeedFolderOptions = {},
): Promise<FeedFolder> {
  let known: Known[] = [];
  let folderError: string | null = null;
  let inFlight: Promise<void> | null = null;
  let after: Promise<void> | null = null;

  async function load(): Promise<void> {
    const names = await manifestNames(folder).catch((error: NodeJS.ErrnoException) => error);
    // A folder that never existed has no lists; one that disappeared may return, as a drive does.
    const isMissing = names instanceof Error && names.code === 'ENOENT' && known.length === 0;
    const problem = names instanceof Error && !isMissing ? `it cannot be read (${names.code})` : null;
    if (problem !== null && folderError === null) onProblem('the folder of feeds', problem);
    folderError = problem;
    if (names instanceof Error) return;
    const next = await Promise.all(
      names.map((name) => {
        const before = known.find((feed) => feed.name === name) ?? null;
        return loadFeed(folder, name, before, maxBytes);
      }),
    );
    const isSame = next.length === known.length && next.every((feed, index) => feed === known[index]);
    for (const feed of next)
      if (feed.error !== null && !known.includes(feed)) onProblem(feed.name, feed.error);
    if (!isSame) known = next;
  }

  /** Of two concurrent runs the older result could win; the current run may have read the files before they changed. */
  function reload(): Promise<void> {
    if (inFlight) {
      after ??= inFlight.then(() => {
        after = null;
        return reload();
      });
      return after;
    }
    inFlight = load().finally(() => {
      inFlight = null;
    });
    return inFlight;
  }

  await reload();
  const timer = everyMs === null ? undefined : setInterval(() => reload().catch(() => {}), everyMs);
  timer?.unref();
  return { feeds: () => known, error: () => folderError, reload, close: () => clearInterval(timer) };
}

async function manifestNames(folder: string): Promise<string[]> {
  const files = await readdir(folder);
  return files
    .filter((file) => file.endsWith('.json') && !file.startsWith('.'))
    .map((file) => file.slice(0, -'.json'.length))
    .sort();
}

async function loadFeed(
  folder: string,
  name: string,
  before: Known | null,
  maxBytes: number,
): Promise<Known> {
  const manifestFile = path.join(folder, `${name}.json`);
  let stamp = '';
  try {
    stamp = await stampOf(manifestFile, maxBytes);
    const manifest = parseManifest(await readFile(manifestFile, 'utf8'));
    if (manifest.name !== name)
      throw new Error(`the manifest has another name: ${JSON.stringify(manifest.name)}`);
    const dataFile = path.join(folder, manifest.path);
    stamp += await stampOf(dataFile, maxBytes);
    if (before?.stamp === stamp) return before;
    return { name, feed: await readFeedFile(manifest, dataFile), error: null, stamp };
  } catch (error) {
    if (before?.stamp === stamp && before.error !== null) return before;
    return { name, feed: before?.feed ?? null, error: reasonOf(error), stamp };
  }
}

/** Throws one line when a file is larger than a feed may be. */
export function checkSize(bytes: number, maxBytes = MAX_FEED_BYTES): void {
  if (bytes <= maxBytes) return;
  throw new Error(`larger than ${Math.round((maxBytes / 1024 / 1024) * 100) / 100} MB`);
}

/** Changes whenever the file does. */
async function stampOf(file: string, maxBytes: number): Promise<string> {
  const { mtimeMs, size, ino } = await stat(file);
  checkSize(size, maxBytes);
  return `${ino}:${mtimeMs}:${size};`;
}

/** Errors of files contain their path, which must not leave the operator's machine. */
function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  if (code === 'ENOENT') return 'its data file does not exist';
  return code === undefined ? message : `its files cannot be read (${code})`;
}
