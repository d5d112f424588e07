import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { drawLinkNetwork } from './support/graph/link-network.ts';
import { loadGraph } from './support/graph/load-graph.ts';
import { type BenchRequest, type Load, startLoad } from './support/load.ts';
import { RESULTS, readOptions } from './support/options.ts';
import { start, stop } from './support/processes.ts';
import { describeMachine, printTable } from './support/report.ts';
import { createSessionMaker } from './support/sessions.ts';
import { median, spreadOf } from './support/statistics.ts';
import type { LoopDelays } from './support/vision/watched-gateway-process.ts';
import { withWorkbench } from './support/workbench.ts';

/*
 * Effect of five clients with the most expensive graph queries that the gateway accepts on other requests: the
 * median time of a two-level read with and without them, as the ratio of each round, and the longest delay of
 * the event loop of the gateway. The bar of the ratio is 2; a time never fails the run.
 */
const options = readOptions();
const READERS = 5;
const OTHERS = 2;
const BAR = 2;

const ACCOUNT = `query ($id: ID!) { account(accountId: $id) { accountId email
  linkedAccounts(first: 10) { edges { score matchTypes node { accountId email } } } } }`;

/** The most expensive fields: paths between accounts of two unconnected parts, and the largest graphs. */
const HEAVY_FIELDS: Record<string, (index: number) => string> = {
  'paths of 6 links': (index) =>
    `linkPath(from: "user-0", to: "user-${index + 1}", maxDepth: 6) { hops { from } }`,
  'graphs of 500 accounts': (index) =>
    `linkGraph(accountId: "user-${index}", depth: 4, maxNodes: 500) { nodes { depth } edges { from to score } truncated }`,
};

type Post = (body: unknown) => Promise<{ data?: unknown; errors?: { message: string }[] }>;

/** The number of fields that the gateway accepts in one document, within its limit of 15 aliases. */
async function heaviest(
  post: Post,
  field: (index: number) => string,
): Promise<{ query: string; fields: number }> {
  for (let fields = 15; ; fields -= 1) {
    const query = `{ ${Array.from({ length: fields }, (_, index) => `f${index}: ${field(index)}`).join(' ')} }`;
    const { errors = [] } = await post({ query });
    if (!errors.some(({ message }) => message.includes('too expensive'))) return { query, fields };
  }
}

type Turn = {
  alone: number;
  beside: number;
  alonePerSecond: number;
  besidePerSecond: number;
  longestAloneMs: number;
  longestMs: number;
};

async function takeTurn(
  loads: { others: Load; readers: Load },
  delays: () => Promise<LoopDelays>,
): Promise<Turn> {
  await delays();
  const alone = await loads.others.run('others', OTHERS, options.seconds);
  const { longest: longestAloneMs } = await delays();
  const [beside, readers] = await Promise.all([
    loads.others.run('others', OTHERS, options.seconds),
    loads.readers.run('readers', READERS, options.seconds),
  ]);
  const { longest } = await delays();
  if (alone.failures + beside.failures > 0) throw new Error('a two-level read failed');
  for (const { status, body } of readers.samples)
    if (status !== 200 && status !== 429)
      throw new Error(`a graph query was answered ${status} ${body.slice(0, 200)}`);
  for (const { body } of [...alone.samples, ...beside.samples])
    if (!JSON.parse(body).data?.account?.accountId) throw new Error(`not an account: ${body.slice(0, 200)}`);
  const perSecond = ({ requests, elapsedMs }: { requests: number; elapsedMs: number }) =>
    (requests * 1000) / elapsedMs;
  return {
    alone: alone.p50Ms,
    beside: beside.p50Ms,
    alonePerSecond: perSecond(alone),
    besidePerSecond: perSecond(beside),
    longestAloneMs,
    longestMs: longest,
  };
}

await withWorkbench(options, async (bench) => {
  const { key, environment, project } = bench;
  const network = drawLinkNetwork(options.size);
  const file = new URL('./support/vision/watched-gateway-process.ts', import.meta.url);
  const child = start(file, { env: { ...environment, LOG_LEVEL: 'error' } });
  const loads = { others: startLoad(), readers: startLoad() };
  try {
    const [{ url }] = (await once(child, 'message')) as [{ url: string }];
    await loadGraph(bench, network, await createSessionMaker(project));
    const headers = { 'x-api-key': key };
    const post: Post = async (body) =>
      (
        await fetch(new URL('/graphql', url), {
          method: 'POST',
          headers: { ...headers, 'content-type': 'application/json' },
          body: JSON.stringify(body),
        })
      ).json() as ReturnType<Post>;
    const delays = async (): Promise<LoopDelays> => {
      child.send('delays');
      return (await once(child, 'message'))[0] as LoopDelays;
    };
    const request = (body: unknown): BenchRequest => ({ method: 'POST', path: '/graphql', headers, body });
    const ids = Array.from({ length: 500 }, (_, index) => `user-${(index * 7) % network.firstHubPartner}`);
    await loads.others.setRequests(
      'others',
      new URL(url),
      ids.map((id) => request({ query: ACCOUNT, variables: { id } })),
    );
    const results = [];
    for (const [name, field] of Object.entries(HEAVY_FIELDS)) {
      const { query, fields } = await heaviest(post, field);
      await loads.readers.setRequests('readers', new URL(url), [request({ query })]);
      const turns: Turn[] = [];
      for (let round = 0; round <= options.rounds; round += 1) {
        const turn = await takeTurn(loads, delays);
        // The first one is a warm-up.
        if (round > 0) turns.push(turn);
      }
      results.push({
        name: `${fields} ${name}`,
        turns,
        ratio: spreadOf(turns.map(({ alone, beside }) => beside / alone)),
      });
    }
    report(results);
  } finally {
    await Promise.all([loads.others.stop(), loads.readers.stop(), stop(child)]);
  }
});

function report(
  results: readonly { name: string; turns: Turn[]; ratio: ReturnType<typeof spreadOf> }[],
): void {
  printTable(
    [
      'five readers of',
      'p50 alone ms',
      'p50 beside ms',
      'ratio',
      'min..max',
      'bar',
      'longest loop delay ms, alone',
      'beside',
    ],
    results.map(({ name, turns, ratio }) => [
      name,
      median(turns.map(({ alone }) => alone)).toFixed(1),
      median(turns.map(({ beside }) => beside)).toFixed(1),
      ratio.median.toFixed(2),
      `${ratio.min.toFixed(2)}..${ratio.max.toFixed(2)}`,
      `≤ ${BAR}`,
      median(turns.map(({ longestAloneMs }) => longestAloneMs)).toFixed(0),
      `${median(turns.map(({ longestMs }) => longestMs)).toFixed(0)}`,
    ]),
  );
  const machine = describeMachine();
  console.log(`\n${machine}; ${options.size} accounts, ${options.rounds} rounds of ${options.seconds} s`);
  mkdirSync(RESULTS, { recursive: true });
  const out = new URL('graph-readers.json', RESULTS);
  writeFileSync(out, JSON.stringify({ name: 'graph-readers', machine, options, results }, null, 2));
  console.log(`written to ${out.pathname}`);
}
