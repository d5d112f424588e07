import type { ServerProcess } from '../processes.ts';
import { createSessionMaker, type SessionMaker } from '../sessions.ts';
import { type Workbench, withWorkbench } from '../workbench.ts';
import { drawLinkNetwork, type LinkNetwork } from './link-network.ts';
import { loadGraph } from './load-graph.ts';

/** A database of one size with the servers that are measured on it. */
export type Site = {
  readonly bench: Workbench;
  readonly network: LinkNetwork;
  readonly makeSession: SessionMaker;
  readonly gateway: ServerProcess;
  readonly limit: ServerProcess;
};

/** One site for each size, all there at once, so that they can take turns. */
export async function withSites(
  sizes: readonly number[],
  work: (sites: readonly Site[]) => Promise<void>,
  ready: readonly Site[] = [],
): Promise<void> {
  const [size, ...others] = sizes;
  if (size === undefined) return work(ready);
  const options = { size, rounds: 0, seconds: 0, quick: false, profileFolder: null };
  await withWorkbench(options, async (bench) => {
    const network = drawLinkNetwork(size);
    const makeSession = await createSessionMaker(bench.project);
    const limit = await bench.startLimit(
      'one statement',
      new URL('./graph-limit-process.ts', import.meta.url),
    );
    const gateway = await bench.startGateway();
    // Last: loading takes minutes, in which the source files of the servers may be edited.
    await loadGraph(bench, network, makeSession);
    await withSites(others, work, [...ready, { bench, network, makeSession, gateway, limit }]);
  });
}
