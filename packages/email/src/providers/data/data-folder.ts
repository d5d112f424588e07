import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { createDigests, createFileProvider } from '../file-provider.ts';
import type { OfflineProvider } from '../provider.ts';
import { type DataFile, openDataFile } from './data-file.ts';

/** How names of imported files end. */
export const DATA_SUFFIX = '.emaildata';

/** An imported file of the folder, with the error if it cannot be read. */
export type MountedData = {
  readonly name: string;
  /** The file in use: the newest readable one; null without one. */
  readonly file: DataFile | null;
  /** Reason why the current file is not in use; null when it is. */
  readonly error: string | null;
};

export type DataFolder = {
  /** The files at this moment, by name. */
  files(): readonly MountedData[];
  /** The files as providers. */
  providers(): readonly OfflineProvider[];
  /** Reason why the folder cannot be read, in which case the previous files stay in use; null when it can. */
  error(): string | null;
  /** Reads the folder now. */
  reload(): Promise<void>;
  close(): void;
};

export type DataFolderOptions = {
  /** Interval of checks for changes; null for none. */
  readonly everyMs?: number | null;
  /** Receives the name of each file that cannot be read as it stands, once, and why. */
  readonly onProblem?: (name: string, reason: string) => void;
};

type Known = MountedData & { readonly stamp: string };

/**
 * The imported files of a folder. A missing folder has none. Changes take effect together. A file that can no longer be
 * read keeps its previous content; a removed one is no longer used.
 */
export async function openDataFolder(
  folder: string,
  { everyMs = null, onProblem = () => {} }: DataFolderOptions = {},
): Promise<DataFolder> {
  let known: readonly Known[] = [];
  let providers: readonly OfflineProvider[] = [];
  let folderError: string | null = null;
  let loading: Promise<void> | null = null;
  let isClosed = false;

  async function load(): Promise<void> {
    const names = await dataNames(folder).catch((error: NodeJS.ErrnoException) => error);
    if (isClosed) return;
    const isMissing = names instanceof Error && names.code === 'ENOENT' && known.length === 0;
    const problem = names instanceof Error && !isMissing ? `it cannot be read (${names.code})` : null;
    if (problem !== null && folderError === null) onProblem('the folder of email data', problem);
    folderError = problem;
    if (names instanceof Error) return;
    const stamps = await Promise.all(names.map((name) => stampOf(folder, name)));
    if (isClosed) return;
    const next = names.map((name, index): Known => {
      const before = known.find((each) => each.name === name) ?? null;
      if (before !== null && before.stamp === stamps[index]) return before;
      return loadData(folder, name, stamps[index]!, before);
    });
    const isSame = next.length === known.length && next.every((each, index) => each === known[index]);
    if (isSame) return;
    for (const each of next)
      if (each.error !== null && !known.includes(each)) onProblem(each.name, each.error);
    applyChanges(next);
  }

  function applyChanges(next: readonly Known[]): void {
    const inUse = new Set(next.map(({ file }) => file));
    // Look-ups are synchronous: none has a file open that is closed here.
    for (const { file } of known) if (file && !inUse.has(file)) file.close();
    known = next;
    const digests = createDigests();
    providers = next.map((each) => providerOf(each, digests));
  }

  /** Of two concurrent loads the older one could win. */
  async function reload(): Promise<void> {
    if (loading) await loading.catch(() => {});
    loading ??= load().finally(() => {
      loading = null;
    });
    await loading;
  }

  await reload();
  const timer = everyMs === null ? undefined : setInterval(() => void reload().catch(() => {}), everyMs);
  timer?.unref();
  return {
    files: () => known,
    providers: () => providers,
    error: () => folderError,
    reload,
    close() {
      isClosed = true;
      clearInterval(timer);
      applyChanges([]);
    },
  };
}

/** Names of the imported files in a folder. */
export async function dataNames(folder: string): Promise<string[]> {
  const files = await readdir(folder);
  return files
    .filter((file) => file.endsWith(DATA_SUFFIX) && !file.startsWith('.'))
    .map((file) => file.slice(0, -DATA_SUFFIX.length))
    .sort();
}

/** Changes whenever the file does; '' without a file. */
async function stampOf(folder: string, name: string): Promise<string> {
  try {
    const { mtimeMs, size, ino } = await stat(path.join(folder, name + DATA_SUFFIX));
    return `${ino}:${mtimeMs}:${size}`;
  } catch {
    return '';
  }
}

function loadData(folder: string, name: string, stamp: string, before: Known | null): Known {
  try {
    const file = openDataFile(path.join(folder, name + DATA_SUFFIX));
    const named = file.footer.description.name;
    if (named === name) return { name, file, error: null, stamp };
    file.close();
    throw new Error(`the file was imported as ${JSON.stringify(named)}`);
  } catch (error) {
    return { name, file: before?.file ?? null, error: reasonOf(error), stamp };
  }
}

function providerOf(
  { name, file, error }: MountedData,
  digests: ReturnType<typeof createDigests>,
): OfflineProvider {
  const provider = file && createFileProvider(file, digests);
  const looksInto = provider?.looksInto ?? [];
  return {
    name: `data:${name}`,
    isOnline: false,
    looksInto,
    lookUpNow: (email) => provider?.lookUpNow(email) ?? { isKnown: false, reason: 'unreadable' },
    status: () => ({
      name: `data:${name}`,
      looksInto,
      isOnline: false,
      isAvailable: file !== null,
      breaker: null,
      problem: error,
      asOf: file?.footer.description.as_of ?? null,
      entries: file?.footer.sections.reduce((sum, { entries }) => sum + entries, 0) ?? 0,
    }),
  };
}

/** Errors of files contain their path, which must not leave the operator's machine. */
export function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return code === undefined ? message : `it cannot be read (${code})`;
}
