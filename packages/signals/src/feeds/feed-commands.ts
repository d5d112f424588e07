import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { AppError, invalidInput } from '@vouchgraph/platform/errors';
import { freshness } from '../evidence/freshness.ts';
import { type Feed, readFeed } from './feed.ts';
import { checkSize, type MountedFeed, openFeedFolder } from './feed-folder.ts';
import { type FeedManifest, feedDefaults, INVALID_MANIFEST, parseManifest } from './feed-manifest.ts';

export type NewFeed = Omit<FeedManifest, 'path'> & {
  /** The file to mount; it is copied. */
  file: string;
  /** Whether a feed of the same name is replaced. */
  replace?: boolean;
};

/** A feed as the command line shows it. */
export type FeedReport = {
  name: string;
  kind: string;
  format: string;
  as_of: string | null;
  confidence: number | null;
  half_life_days: number | null;
  /** Remaining weight today, 0..1. */
  freshness: number | null;
  ranges_ipv4: number;
  ranges_ipv6: number;
  networks: number;
  nodes: number;
  bad_lines: number;
  bad_line_examples: { line: number; text: string }[];
  /** Where the list was published; null when the manifest does not name it. */
  source: string | null;
  licence: string | null;
  /** Why the current files are not in use; null when they are. */
  error: string | null;
};

/**
 * Mounts a list: reads it first, so that nothing changes when it cannot be read, then copies it into the folder and writes
 * its manifest. A running gateway loads it automatically.
 */
export async function addFeed(folder: string, { file, replace, ...given }: NewFeed): Promise<FeedReport> {
  const data = `${given.name}.data`;
  const manifest = checked(() => parseManifest(JSON.stringify({ ...given, path: data })), wrongOption);
  const content = await readFile(file).catch(() => {
    throw refuse(`${JSON.stringify(path.basename(file))} cannot be read`);
  });
  const feed = checked(() => {
    checkSize(content.length);
    return readFeed(manifest, content);
  });
  await mkdir(folder, { recursive: true });
  const manifestFile = path.join(folder, `${manifest.name}.json`);
  const exists = await readFile(manifestFile).then(
    () => true,
    () => false,
  );
  if (exists && !replace)
    throw refuse(`Feed ${JSON.stringify(manifest.name)} already exists: --replace replaces it`);
  // The data before the manifest, each atomically.
  await putFile(path.join(folder, data), content);
  await putFile(manifestFile, `${JSON.stringify(manifest, null, 2)}\n`);
  return reportOf({ name: manifest.name, feed, error: null });
}

/** Writes a file atomically. */
export async function putFile(file: string, content: Buffer | string): Promise<void> {
  const temporary = path.join(path.dirname(file), `.${path.basename(file)}.${process.pid}`);
  try {
    await writeFile(temporary, content);
    await rename(temporary, file);
  } finally {
    await rm(temporary, { force: true });
  }
}

/** Every feed of the folder with its currently readable content. */
export async function reportFeeds(folder: string, name?: string): Promise<FeedReport[]> {
  const opened = await openFeedFolder(folder);
  const problem = opened.error();
  if (problem !== null) throw refuse(`The folder of feeds: ${problem}`);
  const feeds = opened.feeds().filter((feed) => name === undefined || feed.name === name);
  if (name !== undefined && feeds.length === 0) throw refuse(`Feed not found: ${JSON.stringify(name)}`);
  return feeds.map(reportOf);
}

/** Removes a list: its manifest first, so that no gateway reads the missing data. */
export async function removeFeed(folder: string, name: string): Promise<void> {
  const manifestFile = path.join(folder, `${path.basename(name)}.json`);
  const json = await readFile(manifestFile, 'utf8').catch(() => {
    throw refuse(`Feed not found: ${JSON.stringify(name)}`);
  });
  await rm(manifestFile);
  const manifest = attemptManifest(json);
  if (!manifest) return;
  // One database may be mounted under several kinds.
  const others = (await openFeedFolder(folder)).feeds();
  const isShared = others.some(({ feed }) => feed?.manifest.path === manifest.path);
  if (!isShared) await rm(path.join(folder, manifest.path), { force: true });
}

function attemptManifest(json: string): FeedManifest | null {
  try {
    return parseManifest(json);
  } catch {
    return null;
  }
}

function reportOf({ name, feed, error }: MountedFeed): FeedReport {
  return { name, ...factsOf(feed), error };
}

function factsOf(feed: Feed | null): Omit<FeedReport, 'name' | 'error'> {
  const defaults = feed && feedDefaults(feed.manifest);
  return {
    kind: feed?.manifest.kind ?? '',
    format: feed?.manifest.format ?? '',
    as_of: feed?.asOf ?? null,
    confidence: defaults?.confidence ?? null,
    half_life_days: defaults?.halfLifeDays ?? null,
    freshness: defaults && Math.round(freshness(feed.asOf, defaults.halfLifeDays, new Date()) * 1000) / 1000,
    ranges_ipv4: feed?.entries.ipv4 ?? 0,
    ranges_ipv6: feed?.entries.ipv6 ?? 0,
    networks: feed?.entries.asns ?? 0,
    nodes: feed?.entries.nodes ?? 0,
    bad_lines: feed?.badLines.count ?? 0,
    bad_line_examples: feed?.badLines.examples ?? [],
    source: feed?.manifest.source ?? null,
    licence: feed?.manifest.licence ?? null,
  };
}

function checked<Value>(read: () => Value, errorOf: (message: string) => AppError = refuse): Value {
  try {
    return read();
  } catch (error) {
    throw errorOf((error as Error).message);
  }
}

/** An error of a manifest that is made from options of a command. The message begins with the option. */
export function wrongOption(problem: string): AppError {
  const message = problem.replace(INVALID_MANIFEST, '');
  return invalidInput(message, [/^\w+/.exec(message)?.[0] ?? 'name']);
}

function refuse(message: string): AppError {
  return new AppError('feed.invalid', 'invalid_input', message);
}
