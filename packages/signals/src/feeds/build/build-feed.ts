import { createHash } from 'node:crypto';
import { mkdir, readFile, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { isCalendarDate } from '@vouchgraph/platform/calendar-date';
import { csvField } from '@vouchgraph/platform/csv';
import { AppError, invalidInput } from '@vouchgraph/platform/errors';
import { formatRange } from '@vouchgraph/platform/ip/ip-range';
import { readFeed } from '../feed.ts';
import { type FeedReport, putFile, reportFeeds, wrongOption } from '../feed-commands.ts';
import type { BadLines } from '../feed-content.ts';
import { type FeedManifest, parseManifest } from '../feed-manifest.ts';
import type { FeedKind } from '../feed-match.ts';
import { BUILD_FORMATS, type BuildFormat, type BuildFormatName } from './build-formats.ts';
import { MAX_ENTRIES, mergeEntries, type PublishedEntry, type PublishedList } from './published-list.ts';

/** Input of one build. */
export type FeedBuild = {
  format: BuildFormatName;
  /** Files that the operator downloaded. */
  files: readonly string[];
  /** Name of the feed; the format's by default. */
  name?: string;
  /** Kind of the feed; the format's by default. */
  kind?: FeedKind;
  /** Date of the list, YYYY-MM-DD; the oldest date inside the files by default. */
  date?: string;
  /** Origin of the files; the publisher's address by default. */
  source?: string;
  license?: string;
  /** Service of all entries; the format's by default. */
  provider?: string;
  /** Whether a feed of the same name is replaced. */
  replace?: boolean;
};

/** What one file contained. */
export type BuiltFile = {
  file: string;
  /** Unit of the positions of the examples: lines of a text, or entries of a JSON list. */
  unit: 'line' | 'entry';
  entries: number;
  host_names: BadLines;
  special: BadLines;
  bad_lines: BadLines;
};

export type FeedBuildReport = {
  feed: FeedReport;
  source: string;
  licence: string;
  duplicates: number;
  files: BuiltFile[];
};

const MAX_INPUT_BYTES = 128 * 1024 * 1024;
const DAY_MS = 86_400_000;

/**
 * Builds a feed from published lists and mounts it in the folder. A refused list changes nothing. The rename of its
 * manifest replaces a feed, since the name of the data file is derived from its content.
 */
export async function buildFeed(
  folder: string,
  build: FeedBuild,
  now = new Date(),
): Promise<FeedBuildReport> {
  const format: BuildFormat = BUILD_FORMATS[build.format];
  const lists = await readLists(build.files, format);
  const { entries, duplicates } = mergeEntries(lists.map(({ list }) => list));
  checkLists(lists, entries);
  const content = Buffer.from(contentOf(entries, build.provider ?? format.provider));
  const manifest = manifestOf(build, format, content, dateOf(build, lists, now));
  checked(() => readFeed(manifest, content));
  await install(folder, manifest, content, build.replace ?? false);
  const [feed] = await reportFeeds(folder, manifest.name);
  return {
    feed: feed!,
    source: manifest.source ?? '',
    licence: manifest.licence ?? '',
    duplicates,
    files: lists.map(({ file, unit, list }) => ({
      file: path.basename(file),
      unit,
      entries: list.entries.length,
      host_names: list.hostNames,
      special: list.special,
      bad_lines: list.badLines,
    })),
  };
}

type ReadList = { file: string; unit: BuiltFile['unit']; list: PublishedList };

async function readLists(files: readonly string[], format: BuildFormat): Promise<ReadList[]> {
  let bytes = 0;
  const lists: ReadList[] = [];
  for (const file of files) {
    const name = JSON.stringify(path.basename(file));
    const size = await stat(file).then(
      (found) => (found.isFile() ? found.size : -1),
      () => -1,
    );
    if (size < 0) throw refuse(`${name} cannot be read`);
    bytes += size;
    if (bytes > MAX_INPUT_BYTES)
      throw refuse(`The files are larger than ${MAX_INPUT_BYTES / 1024 / 1024} MB`);
    const text = (await readFile(file, 'utf8')).replace(/^\uFEFF/, '');
    const unit = /^\s*[{[]/.test(text) ? 'entry' : 'line';
    lists.push({ file, unit, list: checked(() => format.parse(text), `${name}: `) });
  }
  return lists;
}

function checkLists(lists: readonly ReadList[], entries: readonly PublishedEntry[]): void {
  for (const { file, unit, list } of lists) {
    const name = JSON.stringify(path.basename(file));
    const bad = list.badLines.count + list.special.count;
    const example = [...list.badLines.examples, ...list.special.examples][0];
    const at = example ? ` (${unit} ${example.line}: ${JSON.stringify(example.text)})` : '';
    if (list.entries.length === 0) {
      const named =
        list.hostNames.count > 0 ? `; servers named by host name only: ${list.hostNames.count}` : '';
      throw refuse(`${name}: no public address in it${named}${at}`);
    }
    if (bad > list.entries.length)
      throw refuse(`${name}: ${bad} of ${bad + list.entries.length} entries cannot be used${at}`);
  }
  if (entries.length > MAX_ENTRIES) throw refuse(`More than ${MAX_ENTRIES} ranges in the files`);
}

/** Of several files the oldest date: the feed is no fresher than its oldest part. */
function dateOf({ date, format }: FeedBuild, lists: readonly ReadList[], now: Date): string {
  const inside = lists.map(({ list }) => list.date).filter((each) => each !== null);
  const oldest = inside.length === lists.length ? inside.toSorted()[0] : undefined;
  const found = date ?? oldest;
  if (found === undefined)
    throw invalidInput(`Files of the format ${format} contain no date: --date YYYY-MM-DD is needed`, [
      'date',
    ]);
  if (!isCalendarDate(found))
    throw invalidInput(`${JSON.stringify(found)} is not a date such as 2026-11-20`, ['date']);
  if (Date.parse(found) > now.getTime() + DAY_MS)
    throw invalidInput(`The date ${found} is in the future`, ['date']);
  return found;
}

function contentOf(entries: readonly PublishedEntry[], provider: string): string {
  const isGeofeed = entries.some(({ place }) => place !== '');
  const lines = entries.map(({ range, provider: own, place }) =>
    isGeofeed ? `${formatRange(range)},${place}` : `${formatRange(range)},${quoted(provider || own)}`,
  );
  return `${[...(isGeofeed ? [] : ['range,provider']), ...lines].join('\n')}\n`;
}

function quoted(field: string): string {
  return csvField(field.replaceAll(/[\r\n]/g, ' ').slice(0, 80));
}

function manifestOf(build: FeedBuild, format: BuildFormat, content: Buffer, date: string): FeedManifest {
  const name = build.name ?? build.format;
  const kind = build.kind ?? format.kind;
  if (kind === null) throw invalidInput(`The format ${build.format} needs --kind`, ['kind']);
  const isTable = content.subarray(0, 6).toString() === 'range,';
  const hash = createHash('sha256').update(content).digest('hex').slice(0, 12);
  const provider = build.provider ?? format.provider;
  return checked(
    () =>
      parseManifest(
        JSON.stringify({
          name,
          kind,
          format: isTable ? 'csv' : 'geofeed',
          path: `${name}.${hash}.data`,
          as_of: date,
          confidence: format.confidence,
          ...(isTable ? { column: 'range', provider_column: 'provider' } : {}),
          ...(provider ? { provider } : {}),
          source: build.source ?? format.source,
          licence: build.license ?? format.license,
        }),
      ),
    '',
    wrongOption,
  );
}

async function install(
  folder: string,
  manifest: FeedManifest,
  content: Buffer,
  replace: boolean,
): Promise<void> {
  await mkdir(folder, { recursive: true });
  const manifestFile = path.join(folder, `${manifest.name}.json`);
  const before = await readFile(manifestFile, 'utf8').catch(() => null);
  if (before !== null && !replace)
    throw refuse(`Feed ${JSON.stringify(manifest.name)} already exists: --replace replaces it`);
  await putFile(path.join(folder, manifest.path), content);
  await putFile(manifestFile, `${JSON.stringify(manifest, null, 2)}\n`);
  const old = before === null ? null : pathIn(before);
  const inUse = (await reportFeeds(folder)).some(({ name }) => name === manifest.name);
  if (old !== null && old !== manifest.path && inUse && old.startsWith(`${manifest.name}.`))
    await rm(path.join(folder, old), { force: true });
}

/** The data file of a manifest that may be damaged. */
function pathIn(json: string): string | null {
  try {
    return parseManifest(json).path;
  } catch {
    return null;
  }
}

function checked<Value>(read: () => Value, prefix = '', errorOf = refuse): Value {
  try {
    return read();
  } catch (error) {
    throw errorOf(`${prefix}${(error as Error).message}`);
  }
}

function refuse(message: string): AppError {
  return new AppError('feed.invalid', 'invalid_input', message);
}
