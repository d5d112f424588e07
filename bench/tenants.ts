import { type BenchRequest, startLoad } from './support/load.ts';
import { readOptions } from './support/options.ts';
import { memoryOf } from './support/processor-time.ts';
import { printTable, report } from './support/report.ts';
import { type Lane, runRounds } from './support/rounds.ts';
import { withWorkbench } from './support/workbench.ts';

/*
 * Projects in rotation: cost of projects that use the Prisma clients of a gateway in turn. A registered
 * document is read through Prisma, from one project and from all in turn, so that each request finds its client
 * and its connection bound to another project (the worst case); and the project itself, by a statement without
 * Prisma, from all in turn. Resident memory before and after.
 */
const CONNECTIONS = 8;
const PRISMA = 'Prisma, one project';
const ROTATION = 'Prisma, projects in rotation';
const STATEMENT = 'SQL, projects in rotation';
const REGISTER = `mutation ($input: RegisterOperationsInput!) {
  registerOperations(input: $input) { operations { id text } }
}`;
const NODE = 'query ($id: ID!) { node(id: $id) { ... on PersistedOperation { text } } }';
const PROJECT = '{ project { projectId } }';

type Tenant = { readonly key: string; readonly id: string; readonly text: string };

const options = readOptions();
const projects = options.quick ? 50 : 500;

await withWorkbench(options, async (bench) => {
  const keys: string[] = [];
  for (let n = 0; n < projects; n += 1) keys.push(await bench.createSandboxKey('operator'));
  const gateway = await bench.startGateway();
  const load = startLoad();
  try {
    const tenants: Tenant[] = [];
    for (const [index, key] of keys.entries()) tenants.push(await register(gateway.url, key, index));
    const before = memoryOf(gateway.pid);
    const request = ({ key }: Tenant, body: unknown): BenchRequest => ({
      method: 'POST',
      path: '/graphql',
      headers: { 'x-api-key': key },
      body,
    });
    const read = (tenant: Tenant) => request(tenant, { query: NODE, variables: { id: tenant.id } });
    const checkText = (index: number, body: string) => {
      const text = JSON.parse(body).data?.node?.text;
      return text === tenants[index]!.text ? null : "not the project's document";
    };
    const described = [
      { name: PRISMA, requests: [read(tenants[0]!)], check: checkText },
      { name: ROTATION, requests: tenants.map(read), check: checkText },
      {
        name: STATEMENT,
        requests: tenants.map((tenant) => request(tenant, { query: PROJECT })),
        check: (index: number, body: string) =>
          tenants[index]!.key.includes(JSON.parse(body).data?.project?.projectId.replaceAll('-', ''))
            ? null
            : 'another project',
      },
    ];
    const lanes = described.map((lane): Lane & { requests: BenchRequest[] } => ({
      ...lane,
      server: gateway,
      connections: CONNECTIONS,
    }));
    for (const { name, requests } of lanes) await load.setRequests(name, gateway.url, requests);
    const results = await runRounds(lanes, {
      ...options,
      load,
      postgresPid: bench.postgresPid,
      say: console.log,
    });
    const after = memoryOf(gateway.pid);
    printTable(
      ['memory of the gateway', 'before, MB', 'after, MB', 'peak, MB'],
      [[`${projects} projects`, ...[before.resident, after.resident, after.peak].map((mb) => mb.toFixed(0))]],
    );
    report('tenants', results, [], options, { projects, before, after });
  } finally {
    await load.stop();
  }
});

async function register(url: URL, key: string, index: number): Promise<Tenant> {
  const text = `query Tenant${index} { project { name } }`;
  const response = await fetch(new URL('/graphql', url), {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': key },
    body: JSON.stringify({ query: REGISTER, variables: { input: { documents: [{ text }] } } }),
  });
  const { data } = (await response.json()) as {
    data: { registerOperations: { operations: { id: string }[] } };
  };
  return { key, id: data.registerOperations.operations[0]!.id, text };
}
