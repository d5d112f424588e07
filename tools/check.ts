import { spawn } from 'node:child_process';
import { availableParallelism } from 'node:os';
import { text } from 'node:stream/consumers';
import { ensureBuilt } from './build/ensure-built.ts';

/* `npm run check`: every check, as many at a time as there are processors. One that fails does not stop the others. */

/** The longest first. */
const CHECKS = [
  'check:imports',
  'check:unused',
  'check:types',
  'check:spelling',
  'check:style',
  'check:contract',
  'db:drift',
];

// Once, before several of them would wait for it.
await ensureBuilt();
const waiting = [...CHECKS];
const failed: string[] = [];
await Promise.all(Array.from({ length: availableParallelism() }, work));
for (const name of failed) console.error(`FAILED: npm run ${name}`);
process.exitCode = failed.length === 0 ? 0 : 1;

async function work(): Promise<void> {
  for (let name = waiting.shift(); name !== undefined; name = waiting.shift())
    if (!(await passes(name))) failed.push(name);
}

/** Runs one check, and prints what it wrote when it has ended, so that the output of two does not mix. */
async function passes(name: string): Promise<boolean> {
  const child = spawn('npm', ['run', name], {
    stdio: ['ignore', 'pipe', 'pipe'],
    shell: process.platform === 'win32',
  });
  const exited = new Promise<number | null>((resolve) => child.once('close', (code) => resolve(code)));
  const [output, errors] = await Promise.all([text(child.stdout), text(child.stderr)]);
  process.stdout.write(output);
  process.stderr.write(errors);
  return (await exited) === 0;
}
