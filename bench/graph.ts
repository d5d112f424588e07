import { loadavg } from 'node:os';
import { createAuthenticateLanes } from './support/graph/authenticate-lanes.ts';
import { readGraphOptions } from './support/graph/graph-options.ts';
import { reportGraph } from './support/graph/graph-report.ts';
import { createReadLanes } from './support/graph/read-lanes.ts';
import { withSites } from './support/graph/site.ts';
import { type GraphLane, takeTurns } from './support/graph/turns.ts';
import { startLoad } from './support/load.ts';

/*
 * How fast the link graph is read, each read against one prepared statement that returns the finished JSON; and how
 * reading and authenticating grow with the number of accounts. The databases of all sizes are there at once.
 */
const AUTHENTICATES_PER_SECOND = 250;

const options = readGraphOptions();
const [loadBefore] = loadavg();
await withSites(options.sizes, async (sites) => {
  const load = startLoad();
  try {
    const reading: GraphLane[] = [];
    for (const site of sites) reading.push(...(await createReadLanes(site, load)));
    const read = await takeTurns(reading, { ...options, load });
    // Writing comes after: answers are compared with what the database holds.
    const perTurn = Math.ceil(AUTHENTICATES_PER_SECOND * options.seconds);
    const writing = sites.flatMap((site) => createAuthenticateLanes(site, load, perTurn));
    const written = await takeTurns(writing, { ...options, load });
    reportGraph([...read, ...written], options, loadBefore!);
  } finally {
    await load.stop();
  }
});
