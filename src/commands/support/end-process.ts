import { accessSync, constants } from 'node:fs';

const SHELL = '/bin/sh';

/**
 * Ends the process with an exit code, also while V8 compiles. `process.exit` waits for the threads of V8, and one that compiles can
 * wait for a garbage collection by the main thread: the process then never ends, and no signal reaches it (nodejs/node#54918).
 * Becoming another program ends all threads at once. Without a shell, and on Windows, which cannot replace a process, it is
 * `process.exit`.
 */
export function endProcess(code: number): never {
  if (hasShell()) becomeShell(code);
  else process.exit(code);
  // Not permitted (`--permission`). The exit handlers have run.
  process.removeAllListeners('exit');
  process.exit(code);
}

type Handle = { setBlocking?: (isBlocking: boolean) => void };

function becomeShell(code: number): void {
  process.emit('exit', code);
  // Other programs can write to the same pipes later.
  for (const stream of [process.stdout, process.stderr])
    (stream as unknown as { _handle?: Handle | null })._handle?.setBlocking?.(true);
  try {
    process.execve!(SHELL, ['sh', '-c', `exit ${code}`], {});
  } catch {
    // Then the caller ends the process.
  }
}

/** Node ends with an error of its own when the program cannot be executed. */
function hasShell(): boolean {
  if (process.platform === 'win32' || process.execve === undefined) return false;
  try {
    accessSync(SHELL, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
