import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, it } from 'vitest';

const RUNS = 16;
const AT_ONCE = 4;

/**
 * Ends while a thread of V8 waits for a garbage collection by the main thread. By chance this is rare; with the flag a thread does
 * nothing else.
 */
const PROGRAM = `
  const keep = Array.from({ length: 1e5 }, (_, i) => ({ i }));
  const { endProcess } = await import(${JSON.stringify(new URL('./end-process.ts', import.meta.url).href)});
  console.log('before the end');
  process.on('exit', (code) => console.log('exit', code));
  setTimeout(() => endProcess(7), 30 + Math.random() * 100);`;

/** Ends where a process may not become another program. */
const NOT_PERMITTED = `
  process.execve = () => { throw new Error('not permitted') };${PROGRAM}`;

async function run(program = PROGRAM): Promise<{ code: number | null; output: string }> {
  const flags = program === PROGRAM ? ['--stress-concurrent-allocation'] : [];
  const args = [...flags, '--input-type=module', '-e', program];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk));
  const tooLate = setTimeout(() => child.kill('SIGKILL'), 60_000);
  const [code] = await once(child, 'close');
  clearTimeout(tooLate);
  return { code, output };
}

it('a process ends with its code while V8 waits for the main thread', async () => {
  for (let done = 0; done < RUNS; done += AT_ONCE)
    for (const result of await Promise.all(Array.from({ length: AT_ONCE }, () => run())))
      expect(result).toEqual({ code: 7, output: 'before the end\nexit 7\n' });
}, 300_000);

it('a process that may not become another program calls its exit handlers once', async () => {
  expect(await run(NOT_PERMITTED)).toEqual({ code: 7, output: 'before the end\nexit 7\n' });
});
