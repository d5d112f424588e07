import { monitorEventLoopDelay } from 'node:perf_hooks';
import { createApp } from '../../../src/app.ts';
import { readConfig } from '../../../src/config.ts';

/* The gateway as it is served; its parent requests the delay of its event loop since the last request. */

/** Milliseconds; `longest` is the worst single delay. */
export type LoopDelays = { median: number; p99: number; longest: number };

const delay = monitorEventLoopDelay({ resolution: 1 });
const app = await createApp({ config: readConfig() });
const { baseUrl } = app.serve();
process.on('message', () => {
  const ms = (nanoseconds: number) => nanoseconds / 1e6;
  const delays: LoopDelays = {
    median: ms(delay.percentile(50)),
    p99: ms(delay.percentile(99)),
    longest: ms(delay.max),
  };
  process.send!(delays);
  delay.reset();
});
process.on('disconnect', () => {
  app.close().then(
    () => process.exit(0),
    () => process.exit(1),
  );
});
delay.enable();
process.send!({ url: baseUrl });
