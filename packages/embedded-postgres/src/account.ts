import { execFile } from 'node:child_process';

/** The system account PostgreSQL runs under. Null: the gateway's own, which is not root. */
export type Account = { uid: number; gid: number } | null;

// PostgreSQL refuses to run as root. 65534 is "nobody" on every Linux; the number needs no entry in
// /etc/passwd, so containers without one work too.
const NOBODY = 65534;

/**
 * Almost empty on purpose: LANG and LC_* decide the encoding of new databases, PG* variables change
 * settings. TZ only spares initdb the search for the machine's time zone. (What no Windows program can do
 * without, like SystemRoot, Node adds by itself.)
 */
export const PROGRAM_ENVIRONMENT: NodeJS.ProcessEnv = { TZ: 'UTC' };

/** The root, because the gateway's own working folder may be closed to the account. */
export const PROGRAM_FOLDER = '/';

export function defaultAccount(): Account {
  return process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : null;
}

export type ProgramResult = { exitCode: number | null; spawnError?: string; output: string };

/** Runs a program to its end as the account. It never throws: a program that cannot start has a `spawnError`. */
export function runProgram(file: string, args: string[], account: Account): Promise<ProgramResult> {
  return new Promise((resolve) => {
    const options = { ...account, cwd: PROGRAM_FOLDER, env: PROGRAM_ENVIRONMENT, windowsHide: true };
    execFile(file, args, options, (error, stdout, stderr) => {
      const output = stdout + stderr;
      if (error === null) resolve({ exitCode: 0, output });
      else if (typeof error.code === 'string') resolve({ exitCode: null, spawnError: error.code, output });
      else resolve({ exitCode: error.code ?? null, output });
    });
  });
}

/** Asked of the system rather than computed from mode bits, so that ACLs and mounts count as well. */
export async function canEnter(folder: string, account: Account): Promise<boolean> {
  if (account === null) return true;
  const { exitCode } = await runProgram('/bin/sh', ['-c', 'cd "$1"', 'sh', folder], account);
  return exitCode === 0;
}
