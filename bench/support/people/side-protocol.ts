import { fork } from 'node:child_process';
import { on, once } from 'node:events';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { BenchOptions } from '../options.ts';
import { stop } from '../processes.ts';
import type { Side } from './side.ts';

/** A call of a side in another process: the name of a function and its arguments. */
export type SideCall = { call: keyof Side; args: unknown[] };
export type SideAnswer = { result: unknown } | { error: string };

/** Starts the side of the version in a folder, with the bench of that version. */
export async function forkSide(folder: string, options: BenchOptions): Promise<Side> {
  const file = resolve(folder, 'bench/support/people/side-process.ts');
  if (!existsSync(file)) throw new Error(`${folder} has no bench of this kind: ${file} is missing`);
  const env = { ...process.env, SIDE_OPTIONS: JSON.stringify(options) };
  const child = fork(pathToFileURL(file), { cwd: folder, env });
  const answers = on(child, 'message');
  const ended = once(child, 'exit').then(() => Promise.reject(new Error(`the bench of ${folder} ended`)));
  ended.catch(() => {});
  const next = async (): Promise<unknown> => {
    const { value } = await Promise.race([answers.next(), ended]);
    const [answer] = value as [SideAnswer];
    if ('error' in answer) throw new Error(`${folder}: ${answer.error}`);
    return answer.result;
  };
  await next();
  function call<T>(name: SideCall['call'], ...args: unknown[]): Promise<T> {
    child.send({ call: name, args } satisfies SideCall);
    return next() as Promise<T>;
  }
  return {
    warmUp: () => call('warmUp'),
    turn: (lane) => call('turn', lane),
    openTurn: (rate, seconds) => call('openTurn', rate, seconds),
    report: () => call('report'),
    close: () => stop(child),
  };
}
