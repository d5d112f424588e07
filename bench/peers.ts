import pg from 'pg';
import { checkR1, R1 } from './support/account-reads.ts';
import { loadDataSet } from './support/data-set.ts';
import { startLoad } from './support/load.ts';
import { readOptions } from './support/options.ts';
import { peersViews } from './support/peers-views.ts';
import type { Population } from './support/population.ts';
import { type Bar, report } from './support/report.ts';
import { type Lane, runRounds } from './support/rounds.ts';
import { createSessionMaker } from './support/sessions.ts';
import { randomBelow } from './support/statistics.ts';
import { withWorkbench } from './support/workbench.ts';

/*
 * R1 by the gateway and by other GraphQL servers on the same rows, under the same role with row-level security, in the
 * same rounds. The others do less: they check no key, count no limit and read no encrypted column.
 */
const CONNECTIONS = 32;
const REQUESTS = 5000;
const LIMIT = 'R1 raw JSON (limit)';

const PEER_QUERY = `query R1($id: ID!) {
  account(accountId: $id) {
    accountId country numSessions lastSeen
    lists { name }
    lastSession { sessionId startTime source }
    linkedAccounts(first: 10) { score kinds firstSeen node { accountId country lists { name } } }
  }
}`;

const POSTGRAPHILE_QUERY = `query R1($id: String!) {
  accountByAccountId(accountId: $id) {
    accountId country numSessions lastSeen
    lists { nodes { name } }
    lastSessionObject { sessionId startTime source }
    links(first: 10, orderBy: SCORE_DESC) {
      nodes { score kinds firstSeen linkedAccount { accountId country lists { nodes { name } } } }
    }
  }
}`;

// biome-ignore lint/suspicious/noExplicitAny: answers of any shape
type Data = any;
type Facts = { accountId: string; session: Data; lists: Data[]; linked: { accountId: string }[] };
type Peer = { name: string; file: string; query: string; facts: (data: Data) => Facts };

const ofPeer = ({ account }: Data): Facts => ({
  accountId: account.accountId,
  session: account.lastSession,
  lists: account.lists,
  linked: account.linkedAccounts.map(({ node }: Data) => node),
});

const PEERS: readonly Peer[] = [
  {
    name: 'PostGraphile',
    file: 'postgraphile.ts',
    query: POSTGRAPHILE_QUERY,
    facts: ({ accountByAccountId: account }) => ({
      accountId: account.accountId,
      session: account.lastSessionObject,
      lists: account.lists.nodes,
      linked: account.links.nodes.map(({ linkedAccount }: Data) => linkedAccount),
    }),
  },
  { name: 'Mercurius, jit and loaders', file: 'mercurius.ts', query: PEER_QUERY, facts: ofPeer },
  { name: 'Apollo, dataloader', file: 'apollo.ts', query: PEER_QUERY, facts: ofPeer },
  { name: 'Yoga, Pothos, Prisma', file: 'yoga.ts', query: PEER_QUERY, facts: ofPeer },
];

const BARS: readonly Bar[] = [
  { name: 'Vouchgraph / raw JSON', lane: 'Vouchgraph', to: LIMIT, of: 'rate', bar: 0.45 },
  ...PEERS.map(
    ({ name }): Bar => ({ name: `${name} / raw JSON`, lane: name, to: LIMIT, of: 'rate', bar: 0 }),
  ),
];

const options = readOptions();
await withWorkbench(options, async (bench) => {
  const { population } = await loadDataSet(bench, options.size, await createSessionMaker(bench.project));
  await createViews(bench.superuserUrl, bench.project.projectId);
  const chosen = Array.from({ length: REQUESTS }, () => 1 + randomBelow(population.firstHubPartner - 1));
  const ids = chosen.map((n) => population.personOf(n).accountId);
  const limit = await bench.startLimit(
    'raw JSON',
    new URL('./support/read-limit-process.ts', import.meta.url),
  );
  const gateway = await bench.startGateway();
  const load = startLoad();
  try {
    const lanes: Lane[] = [
      {
        name: LIMIT,
        server: limit,
        connections: CONNECTIONS,
        check: (index, body) => checkR1(population, chosen[index]!, body, false),
      },
      {
        name: 'Vouchgraph',
        server: gateway,
        connections: CONNECTIONS,
        check: (index, body) => checkR1(population, chosen[index]!, body, true),
      },
    ];
    await load.setRequests(
      LIMIT,
      limit.url,
      ids.map((id) => ({ method: 'GET', path: `/${id}` })),
    );
    const post = (query: string, headers = {}) =>
      ids.map((id) => ({
        method: 'POST' as const,
        path: '/graphql',
        headers,
        body: { query, variables: { id } },
      }));
    await load.setRequests('Vouchgraph', gateway.url, post(R1, { 'x-api-key': bench.key }));
    for (const { name, file, query, facts } of PEERS) {
      const server = await bench.startLimit(name, new URL(`./peers/${file}`, import.meta.url));
      const requests = post(query).map((request) => ({ ...request, path: server.url.pathname }));
      await load.setRequests(name, server.url, requests);
      const check = (index: number, body: string) => checkPeer(population, chosen[index]!, body, facts);
      lanes.push({ name, server, connections: CONNECTIONS, check });
    }
    const results = await runRounds(lanes, {
      ...options,
      load,
      postgresPid: bench.postgresPid,
      say: console.log,
    });
    report('peers', results, BARS, options);
  } finally {
    await load.stop();
  }
});

async function createViews(connectionString: string, projectId: string): Promise<void> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  try {
    await client.query(peersViews(projectId));
  } finally {
    await client.end();
  }
}

function checkPeer(
  population: Population,
  n: number,
  body: string,
  factsOf: (data: Data) => Facts,
): string | null {
  const { data, errors } = JSON.parse(body);
  if (errors) return `GraphQL errors`;
  const { accountId, session, lists, linked } = factsOf(data);
  if (accountId !== population.personOf(n).accountId) return 'another account';
  if (!session?.sessionId) return 'no last session';
  if (n % 10 < 7 && lists.length !== 1) return 'not on its list';
  const [first, members] = population.rings[population.ringOf(n)]!;
  if (linked.length !== Math.min(10, members - 1)) return `${linked.length} links`;
  const isOfRing = linked.every(({ accountId: id }) => {
    const number = Number(id.slice('user-'.length));
    return number >= first && number < first + members;
  });
  return isOfRing ? null : 'links to accounts of another ring';
}
