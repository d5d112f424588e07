import { checkHub, checkLinks, checkR1, graphqlNodes, R1, restNodes } from './support/account-reads.ts';
import { loadDataSet } from './support/data-set.ts';
import type { BenchRequest } from './support/load.ts';
import { startLoad } from './support/load.ts';
import { readOptions } from './support/options.ts';
import { type Bar, report } from './support/report.ts';
import { type Lane, runRounds } from './support/rounds.ts';
import { createSessionMaker } from './support/sessions.ts';
import { randomBelow } from './support/statistics.ts';
import { withWorkbench } from './support/workbench.ts';

/*
 * Reading an account with the accounts it is linked to.
 *
 *   R1  a query of two levels by GraphQL, against one prepared statement that returns finished JSON
 *   R2  the linked accounts by REST, against the same fields by GraphQL, and with compressed answers
 *   R3  the first page of an account with 5,000 links, against that of any account
 */
const CONNECTIONS = 32;
const REQUESTS = 5000;

/** The fields of GET /account/{id}/accounts-linked. */
const R2 = `query R2($id: ID!) {
  account(accountId: $id) {
    linkedAccounts(first: 100) {
      edges {
        score matchTypes firstSeen lastSeen
        node {
          accountId email phone firstName lastName username expectedCountries lists { name } metadata
        }
      }
    }
  }
}`;

const BARS: readonly Bar[] = [
  { name: 'R1 GraphQL / raw JSON', lane: 'R1 GraphQL', to: 'R1 raw JSON (limit)', of: 'rate', bar: 0.45 },
  { name: 'R2 REST / GraphQL', lane: 'R2 REST', to: 'R2 GraphQL', of: 'rate', bar: 1 },
  { name: 'R3 p99 hub / any account', lane: 'R3 hub', to: 'R1 GraphQL', of: 'p99', bar: 3 },
];

const options = readOptions();
await withWorkbench(options, async (bench) => {
  const { population } = await loadDataSet(bench, options.size, await createSessionMaker(bench.project));
  const limit = await bench.startLimit(
    'raw JSON',
    new URL('./support/read-limit-process.ts', import.meta.url),
  );
  const gateway = await bench.startGateway();
  const load = startLoad();
  try {
    // The hub, number 0, and accounts in its half are left to R3: the others have few links.
    const chosen = Array.from({ length: REQUESTS }, () => 1 + randomBelow(population.firstHubPartner - 1));
    const accountOf = (index: number) => population.personOf(chosen[index]!);
    const headers = { 'x-api-key': bench.key };
    const graphql = (query: string, id: string): BenchRequest => ({
      method: 'POST',
      path: '/graphql',
      headers,
      body: { query, variables: { id } },
    });
    const ids = chosen.map((_, index) => accountOf(index).accountId);
    type ReadLane = Omit<Lane, 'connections'> & { requests: BenchRequest[] };
    const described: ReadLane[] = [
      {
        name: 'R1 raw JSON (limit)',
        server: limit,
        requests: ids.map((id) => ({ method: 'GET', path: `/${id}` })),
        check: (index, body) => checkR1(population, chosen[index]!, body, false),
      },
      {
        name: 'R1 GraphQL',
        server: gateway,
        requests: ids.map((id) => graphql(R1, id)),
        check: (index, body) => checkR1(population, chosen[index]!, body, true),
      },
      {
        name: 'R2 REST',
        server: gateway,
        requests: ids.map((id) => ({ method: 'GET', path: `/account/${id}/accounts-linked`, headers })),
        check: (index, body) => checkLinks(population, chosen[index]!, restNodes(body), 1500),
      },
      ...['br', 'gzip'].map(
        (encoding): ReadLane => ({
          name: `R2 REST, ${encoding}`,
          server: gateway,
          requests: ids.map((id) => ({
            method: 'GET',
            path: `/account/${id}/accounts-linked`,
            headers: { ...headers, 'accept-encoding': encoding },
          })),
          check: (index: number, body: string) =>
            checkLinks(population, chosen[index]!, restNodes(body), 1500),
        }),
      ),
      {
        name: 'R2 GraphQL',
        server: gateway,
        requests: ids.map((id) => graphql(R2, id)),
        check: (index, body) => checkLinks(population, chosen[index]!, graphqlNodes(body), 100),
      },
      {
        name: 'R3 hub',
        server: gateway,
        requests: [graphql(R1, population.personOf(0).accountId)],
        check: (_index, body) => checkHub(population, body),
      },
    ];
    const chosenLanes = described.filter(({ name }) => isChosen(name, options.lanes));
    const lanes = chosenLanes.map((lane) => ({ ...lane, connections: CONNECTIONS }));
    for (const lane of lanes) await load.setRequests(lane.name, lane.server.url, lane.requests);
    const results = await runRounds(lanes, {
      ...options,
      load,
      postgresPid: bench.postgresPid,
      say: console.log,
    });
    report('read', results, BARS, options);
  } finally {
    await load.stop();
  }
});

function isChosen(name: string, beginnings: readonly string[] = []): boolean {
  return beginnings.length === 0 || beginnings.some((beginning) => name.startsWith(beginning));
}
