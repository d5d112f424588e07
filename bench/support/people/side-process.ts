import { once } from 'node:events';
import type { BenchOptions } from '../options.ts';
import { withWorkbench } from '../workbench.ts';
import { openSide, type Side, settingsOf } from './side.ts';
import type { SideAnswer, SideCall } from './side-protocol.ts';

/* The side of this version, for a bench that compares two versions in one run. It answers calls of its parent. */

const ended = once(process, 'disconnect');
const options: BenchOptions = JSON.parse(process.env.SIDE_OPTIONS!);
const answer = (message: SideAnswer) => process.send!(message);

await withWorkbench(
  options,
  async (bench) => {
    const side = await openSide(bench, options);
    try {
      process.on('message', (call: SideCall) => void run(side, call));
      answer({ result: 'ready' });
      await ended;
    } finally {
      await side.close();
    }
  },
  settingsOf(options),
);

async function run(side: Side, { call, args }: SideCall): Promise<void> {
  try {
    const result = await (side[call] as (...args: unknown[]) => Promise<unknown>)(...args);
    answer({ result: result ?? null });
  } catch (error) {
    answer({ error: String(error) });
  }
}
