import type { BenchRequest, Load } from '../load.ts';
import type { Site } from './site.ts';
import { GRAPH_STATEMENTS } from './statements.ts';
import type { GraphLane } from './turns.ts';
import { WORKLOADS, type Workload } from './workloads.ts';

const CONNECTIONS = 32;

/** For each workload one lane to the gateway and one to the single statement. */
export async function createReadLanes(site: Site, load: Load): Promise<GraphLane[]> {
  const lanes: GraphLane[] = [];
  for (const workload of WORKLOADS as readonly Workload[]) {
    const ids = workload.choose(site.network);
    for (const isLimit of [false, true]) {
      const requests = ids.map((one) =>
        isLimit ? limitRequest(workload, one) : graphqlRequest(site, workload, one),
      );
      lanes.push(await createLane(site, load, { workload, ids, isLimit, requests }));
    }
  }
  return lanes;
}

function limitRequest({ statement }: Workload, ids: readonly string[]): BenchRequest {
  return { method: 'GET', path: `/${[statement, ...ids].join('/')}` };
}

function graphqlRequest({ bench }: Site, { query }: Workload, [a, b]: readonly string[]): BenchRequest {
  const body = { query, variables: { a, b } };
  return { method: 'POST', path: '/graphql', headers: { 'x-api-key': bench.key }, body };
}

type Described = { workload: Workload; ids: string[][]; isLimit: boolean; requests: readonly BenchRequest[] };

async function createLane(
  site: Site,
  load: Load,
  { workload, ids, isLimit, requests }: Described,
): Promise<GraphLane> {
  const { bench, network } = site;
  const server = isLimit ? site.limit : site.gateway;
  const name = `${workload.name}, ${isLimit ? 'one statement' : 'GraphQL'}, ${network.size}`;
  await load.setRequests(name, server.url, requests);
  return {
    name,
    workload: workload.name,
    size: network.size,
    isLimit,
    server,
    postgresPid: bench.postgresPid,
    connections: CONNECTIONS,
    async check(index, body) {
      const of = ids[index]!;
      const expected = JSON.stringify(
        workload.fromSql(JSON.parse(await askOnce(site, workload, of)) as never),
      );
      const found = readAnswer(site, workload, of, { body, isLimit });
      return found === expected ? null : `${found.slice(0, 200)} instead of ${expected.slice(0, 200)}`;
    },
  };
}

function readAnswer(
  { network }: Site,
  workload: Workload,
  ids: readonly string[],
  { body, isLimit }: { body: string; isLimit: boolean },
): string {
  const answer = JSON.parse(body);
  if (isLimit) return JSON.stringify(workload.fromSql(answer as never));
  if (answer.errors) return 'GraphQL errors';
  try {
    return JSON.stringify(workload.fromGraphql(answer.data as never, ids, network));
  } catch (error) {
    return String(error);
  }
}

async function askOnce({ bench }: Site, { statement }: Workload, ids: readonly string[]): Promise<string> {
  const [row] = await bench.system.query(GRAPH_STATEMENTS[statement], [bench.project.projectId, ...ids]);
  return String(row?.answer);
}
