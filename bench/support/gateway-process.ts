import { monitorEventLoopDelay } from 'node:perf_hooks';
import {
  holdYoungGeneration,
  limitHeapWhileServing,
  limitHeapWhileStarting,
} from '@vouchgraph/platform/heap';

/*
 * The gateway as it is served, with settings from the environment; it sends its address and SQL counts to its
 * parent.
 */

holdYoungGeneration();
limitHeapWhileStarting();
const { createApp } = await import('../../src/app.ts');
const { readConfig } = await import('../../src/config.ts');
let statements = 0;
const app = await createApp({
  config: readConfig(),
  onStatement: () => {
    statements += 1;
  },
});
const { baseUrl } = app.serve();
limitHeapWhileServing();
let delay: ReturnType<typeof monitorEventLoopDelay> | undefined;
process.on('message', (question) => process.send!(question === 'delay' ? takeDelay() : { statements }));
process.on('disconnect', () => {
  app.close().then(
    () => process.exit(0),
    () => process.exit(1),
  );
});
process.send!({ url: baseUrl });

/** The longest delay of the event loop since the last request; the first request starts the measurement. */
function takeDelay(): { longestMs: number } {
  const longestMs = delay && delay.count > 0 ? delay.max / 1e6 : 0;
  delay?.reset();
  delay ??= startDelay();
  return { longestMs };
}

function startDelay(): ReturnType<typeof monitorEventLoopDelay> {
  const histogram = monitorEventLoopDelay({ resolution: 1 });
  histogram.enable();
  return histogram;
}
