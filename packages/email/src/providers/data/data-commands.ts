import { linkSync, mkdirSync, mkdtempSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs';
import { rm, stat } from 'node:fs/promises';
import path from 'node:path';
import { AppError, invalidInput } from '@vouchgraph/platform/errors';
import { readDataFooter } from './data-file.ts';
import { DATA_SUFFIX, dataNames, reasonOf } from './data-folder.ts';
import {
  type DataDescription,
  type DataFooter,
  DEFAULT_TRUST_WEIGHT,
  dataDescription,
  type LineProblem,
} from './data-manifest.ts';
import { importData } from './import-data.ts';

const SCRATCH_PREFIX = '.import-';
/** Folders of imports that were killed are removed after a day. */
const SCRATCH_MS = 24 * 60 * 60 * 1000;

export type NewEmailData = DataDescription & {
  /** The file to import; for ranges also a folder. */
  file: string;
  /** Whether imported data of the same name is replaced. */
  replace?: boolean;
  onProgress?: (read: number, total: number) => void;
};

/** Imported data as the command line shows it. */
export type EmailDataReport = {
  name: string;
  kind: string;
  format: string;
  as_of: string | null;
  breach: string | null;
  breach_date: string | null;
  trust_weight: number | null;
  country: string | null;
  industry: string | null;
  service: string | null;
  imported_at: string | null;
  rows: number;
  sha1_hashes: number;
  sha256_hashes: number;
  bad_lines: number;
  bad_values: number;
  padding_lines: number;
  examples: LineProblem[];
  bytes: number;
  /** Reason why it cannot be used; null when it can. */
  error: string | null;
};

/** Imports a file of hashes into the folder, completely or not at all. A running gateway loads it automatically. */
export function addEmailData(folder: string, input: NewEmailData): EmailDataReport {
  const { file, replace = false, onProgress, ...given } = input;
  const description = checkedDescription(given);
  const target = path.join(folder, description.name + DATA_SUFFIX);
  if (!replace && statSync(target, { throwIfNoEntry: false })) throw alreadyExists(description.name);
  if (!statSync(file, { throwIfNoEntry: false })) throw refuse(`${quoted(file)} cannot be read (ENOENT)`);
  const isNewFolder = mkdirSync(folder, { recursive: true, mode: 0o700 }) !== undefined;
  removeOldScratch(folder);
  const scratch = mkdtempSync(path.join(folder, SCRATCH_PREFIX));
  try {
    const made = path.join(scratch, 'made');
    const footer = importOrRefuse(() =>
      importData({ description, source: file, target: made, scratch, onProgress }),
    );
    if (replace) renameSync(made, target);
    else linkOrRefuse(made, target, description.name);
    return reportOf(description.name, footer, statSync(target).size);
  } catch (error) {
    rmSync(scratch, { recursive: true, force: true });
    // A rejected file leaves nothing.
    if (isNewFolder && readdirSync(folder).length === 0) rmSync(folder, { recursive: true });
    throw error;
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }

  function importOrRefuse(run: () => DataFooter): DataFooter {
    try {
      return run();
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException;
      throw refuse(
        code === undefined ? `${quoted(file)}: ${message}` : `${quoted(file)} cannot be read (${code})`,
      );
    }
  }
}

/** Reports the imported data of the folder, or that of one name. */
export async function listEmailData(folder: string, name?: string): Promise<EmailDataReport[]> {
  const names = await dataNames(folder).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return [];
    throw refuse(`The folder of email data cannot be read (${error.code})`);
  });
  const shown = names.filter((each) => name === undefined || each === name);
  if (name !== undefined && shown.length === 0) throw notFound(name);
  return Promise.all(shown.map((each) => reportFile(folder, each)));
}

/** Removes imported data. A running gateway unloads it automatically. */
export async function removeEmailData(folder: string, name: string): Promise<void> {
  const file = `${path.basename(name)}${DATA_SUFFIX}`;
  if (path.basename(name) !== name || name.startsWith('.')) throw notFound(name);
  await rm(path.join(folder, file)).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') throw notFound(name);
    throw refuse(`${quoted(name)} cannot be removed (${error.code})`);
  });
}

/** Options that only one kind of data has. */
const OF_KIND = {
  breaches: ['breach', 'breach_date', 'trust_weight', 'country', 'industry'],
  profiles: ['service'],
} as const;

function checkedDescription(given: DataDescription): DataDescription {
  const parsed = dataDescription.safeParse(given);
  if (!parsed.success) {
    const problems = parsed.error.issues.map((issue) => [...issue.path, issue.message].join(': '));
    throw invalidInput(problems.join('; '), parsed.error.issues[0]?.path as string[]);
  }
  const { data } = parsed;
  const other = data.kind === 'breaches' ? 'profiles' : 'breaches';
  const foreign = OF_KIND[other].find((name) => (data[name] ?? null) !== null);
  if (foreign !== undefined) throw invalidInput(`${foreign}: only for ${other}`, [foreign]);
  if (data.kind === 'profiles' && data.format === 'ranges')
    throw invalidInput('format: ranges hold no profiles, only breaches', ['format']);
  return data;
}

/** Renames the file to its name unless a concurrent import was faster. */
function linkOrRefuse(made: string, target: string, name: string): void {
  try {
    linkSync(made, target);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EEXIST') throw alreadyExists(name);
    // A file system without links.
    renameSync(made, target);
  }
}

function removeOldScratch(folder: string): void {
  for (const name of readdirSync(folder)) {
    if (!name.startsWith(SCRATCH_PREFIX)) continue;
    const stats = statSync(path.join(folder, name), { throwIfNoEntry: false });
    if (stats && Date.now() - stats.mtimeMs > SCRATCH_MS)
      rmSync(path.join(folder, name), { recursive: true, force: true });
  }
}

async function reportFile(folder: string, name: string): Promise<EmailDataReport> {
  const file = path.join(folder, name + DATA_SUFFIX);
  try {
    const footer = readDataFooter(file);
    return reportOf(name, footer, (await stat(file)).size);
  } catch (error) {
    return { ...reportOf(name, null, 0), error: reasonOf(error) };
  }
}

function reportOf(name: string, footer: DataFooter | null, bytes: number): EmailDataReport {
  const description = footer?.description;
  const hashes = (algorithm: string) =>
    footer?.sections.find((section) => section.algorithm === algorithm)?.entries ?? 0;
  const isBreaches = description?.kind === 'breaches';
  return {
    name,
    kind: description?.kind ?? '',
    format: description?.format ?? '',
    as_of: description?.as_of ?? null,
    breach: isBreaches ? (description.breach ?? name) : null,
    breach_date: description?.breach_date ?? null,
    trust_weight: isBreaches ? (description.trust_weight ?? DEFAULT_TRUST_WEIGHT) : null,
    country: description?.country ?? null,
    industry: description?.industry ?? null,
    service: description?.kind === 'profiles' ? (description.service ?? name) : null,
    imported_at: footer?.imported_at ?? null,
    rows: footer?.rows ?? 0,
    sha1_hashes: hashes('sha1'),
    sha256_hashes: hashes('sha256'),
    bad_lines: footer?.bad_lines ?? 0,
    bad_values: footer?.bad_values ?? 0,
    padding_lines: footer?.padding_lines ?? 0,
    examples: footer?.examples ?? [],
    bytes,
    error: null,
  };
}

function quoted(file: string): string {
  return JSON.stringify(path.basename(file));
}

function alreadyExists(name: string): AppError {
  return refuse(`Email data ${JSON.stringify(name)} already exists: --replace replaces it`);
}

function notFound(name: string): AppError {
  return refuse(`Email data not found: ${JSON.stringify(name)}`);
}

function refuse(message: string): AppError {
  return new AppError('email_data.invalid', 'invalid_input', message);
}
