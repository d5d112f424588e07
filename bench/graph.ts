import { loadavg } from 'node:os';
import { createAuthenticateLanes } from './support/graph/authenticate-lanes.ts';
import { readGraphOptions } from './support/graph/graph-options.ts';
import { reportGraph } from './support/graph/graph-report.ts';
import { createReadLanes } from './support/graph/read-lanes.ts';
import { withSites } from './support/graph/site.ts';
import { type GraphLane, takeTurns } from './support/graph/turns.ts';
import { startLoad } from './support/load.ts';

/*
 * Speed of reads of the link graph, each compared with one prepared statement that returns the finished JSON;
 * and growth of reading and authenticating with the number of accounts. The databases of all sizes exist at the
 * same time.
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
    // Writes run last, since responses are compared with the content of the database.
    const perTurn = Math.ceil(AUTHENTICATES_PER_SECOND * options.seconds);
    const writing = sites.flatMap((site) => createAuthenticateLanes(site, load, perTurn));
    const written = await takeTurns(writing, { ...options, load });
    reportGraph([...read, ...written], options, loadBefore!);
  } finally {
    await load.stop();
  }
});
