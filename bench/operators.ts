import { type BenchRequest, startLoad } from './support/load.ts';
import { loadOperatorData } from './support/operators/operator-data.ts';
import { type OperatorQuery, operatorQueries, POINT_READ } from './support/operators/operator-queries.ts';
import { explainQueries, type QueryCost } from './support/operators/query-plans.ts';
import { readOptions } from './support/options.ts';
import { type Bar, printTable, report } from './support/report.ts';
import { type Lane, runRounds } from './support/rounds.ts';
import { withWorkbench } from './support/workbench.ts';

/*
 * Searches of operators in a project with all kinds of data: first the plans and pages of each query, which
 * must read no large table completely, then the times of one client, as ratios to reading one account.
 */
const MAX_TIMES_POINT_READ = 10;

const options = readOptions();
await withWorkbench(options, async (bench) => {
  const key = await bench.createOperatorKey();
  const data = await loadOperatorData(bench, options.size);
  const queries = operatorQueries(data);
  const costs = await explainQueries(bench, key, queries);
  printCosts(costs);
  const gateway = await bench.startGateway();
  const load = startLoad();
  try {
    const lanes = queries.map(
      (query): Lane => ({
        name: query.name,
        server: gateway,
        connections: 1,
        check: (_index, body) => checkBody(query, body),
      }),
    );
    for (const query of queries) await load.setRequests(query.name, gateway.url, [requestOf(query, key)]);
    const { postgresPid } = bench;
    const results = await runRounds(lanes, { ...options, load, postgresPid, say: () => {} });
    const bars = queries
      .filter(({ name }) => name !== POINT_READ)
      .map(({ name }): Bar => ({ name, lane: name, to: POINT_READ, of: 'p99', bar: MAX_TIMES_POINT_READ }));
    report('operators', results, bars, options, { costs });
  } finally {
    await load.stop();
  }
});

function requestOf({ query, variables }: OperatorQuery, key: string): BenchRequest {
  return { method: 'POST', path: '/graphql', headers: { 'x-api-key': key }, body: { query, variables } };
}

function checkBody(query: OperatorQuery, body: string): string | null {
  const { data, errors } = JSON.parse(body);
  return errors ? 'GraphQL errors' : query.check(data);
}

function printCosts(costs: readonly QueryCost[]): void {
  printTable(
    ['query', 'trips', 'SQL', 'pages', 'reads whole'],
    costs.map(({ name, trips, statements, pages, scans }) => [
      name,
      `${trips}`,
      `${statements}`,
      `${pages}`,
      scans.join(', '),
    ]),
  );
  const wrong = costs.filter(({ scans, mistake }) => scans.length > 0 || mistake !== null);
  for (const { name, scans, mistake } of wrong)
    console.error(`WRONG  ${name}: ${mistake ?? `reads ${scans.join(', ')} whole`}`);
  if (wrong.length > 0) process.exitCode = 1;
}
