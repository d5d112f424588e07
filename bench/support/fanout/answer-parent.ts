import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { ServerQuestion, ServerState } from './protocol.ts';

/** Lets the parent inspect this server, and publish where the server has its own way. */
export function answerParent(
  url: string,
  deps: { subscribers: () => number; publish?: (n: number) => void },
): void {
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  process.on('message', (question: ServerQuestion) => {
    if (question.kind === 'publish') return deps.publish?.(question.n);
    const blockedMs = delay.max / 1e6;
    if (question.collect) globalThis.gc?.();
    const state: ServerState = {
      subscribers: deps.subscribers(),
      memory: process.memoryUsage.rss(),
      blockedMs,
    };
    process.send!(state);
    delay.reset();
  });
  process.send!({ url });
}
