import pg from 'pg';
import { createApp } from '../../../src/app.ts';
import { readConfig } from '../../../src/config.ts';
import type { Workbench } from '../workbench.ts';
import type { OperatorQuery } from './operator-queries.ts';

/** Cost of one request at the database, after its key and project are cached. */
export type QueryCost = {
  readonly name: string;
  readonly trips: number;
  readonly statements: number;
  /** Pages of 8 kB that the statements read, from memory or disk. */
  readonly pages: number;
  readonly indexes: readonly string[];
  /** Tables with more than `FEW_ROWS` rows that a statement read completely, or would read. */
  readonly scans: readonly string[];
  readonly mistake: string | null;
};

type Sent = { readonly name: string; readonly text: string; readonly values: readonly unknown[] };
type PlanNode = {
  'Node Type': string;
  'Relation Name'?: string;
  'Index Name'?: string;
  Plans?: PlanNode[];
  'Actual Rows'?: number;
  'Rows Removed by Filter'?: number;
  'Shared Hit Blocks'?: number;
  'Shared Read Blocks'?: number;
};

const FEW_ROWS = 5000;

/** Sends each query once to a gateway in this process, and lets PostgreSQL explain its statements. */
export async function explainQueries(
  bench: Workbench,
  key: string,
  queries: readonly OperatorQuery[],
): Promise<QueryCost[]> {
  const sent: Sent[] = [];
  const stopWatching = watchStatements((statement) => sent.push(statement));
  let trips = 0;
  const app = await createApp({
    config: readConfig(bench.environment),
    worksInBackground: false,
    onTrip: (names) => {
      if (names.some((name) => name !== '' && sent.some((statement) => statement.name === name))) trips += 1;
    },
  });
  const client = new pg.Client({ connectionString: bench.superuserUrl });
  await client.connect();
  try {
    const { baseUrl } = app.serve();
    const large = await largeTables(client);
    const ask = async (query: OperatorQuery) => {
      const body = JSON.stringify({ query: query.query, variables: query.variables });
      const headers = { 'content-type': 'application/json', 'x-api-key': key };
      const answer = await fetch(new URL('/graphql', baseUrl), { method: 'POST', headers, body });
      return (await answer.json()) as { data?: Record<string, unknown>; errors?: { message: string }[] };
    };
    const costs: QueryCost[] = [];
    for (const query of queries) {
      await ask(query);
      trips = 0;
      sent.length = 0;
      const { data, errors } = await ask(query);
      const [counted, statements] = [trips, sent.splice(0)];
      const mistake = errors ? errors.map(({ message }) => message).join('; ') : query.check(data ?? {});
      costs.push({
        name: query.name,
        trips: counted,
        statements: statements.length,
        ...(await explain(client, bench.project.projectId, statements, large)),
        mistake,
      });
    }
    return costs;
  } finally {
    stopWatching();
    await client.end();
    await app.close();
  }
}

/** Prepared statements with their values as sent, alone or in a batch, except claims of jobs. */
function watchStatements(onSent: (statement: Sent) => void): () => void {
  const prototype = pg.Query.prototype as unknown as { submit(this: Sent, connection: unknown): unknown };
  const { submit } = prototype;
  prototype.submit = function (connection) {
    if (this.name && !this.name.includes('.claim_'))
      onSent({ name: this.name, text: this.text, values: this.values ?? [] });
    return submit.call(this, connection);
  };
  return () => {
    prototype.submit = submit;
  };
}

/** Number of rows of the large tables by name. */
async function largeTables(client: pg.Client): Promise<ReadonlyMap<string, number>> {
  const { rows } = await client.query<{ relname: string; rows: number }>(
    `select relname, reltuples::float8 as rows from pg_class where relkind in ('r', 'p') and reltuples > $1`,
    [FEW_ROWS],
  );
  return new Map(rows.map((table) => [table.relname, table.rows]));
}

/** Share of a table from which a scan counts as whole: `reltuples` is an estimate. */
const WHOLE = 0.9;

/**
 * A scan that a LIMIT ended early read only a part, such as a total, which stops counting after
 * `LIMITS.countedObjects` rows.
 */
function isWhole(node: PlanNode, rows: number | undefined): boolean {
  if (node['Node Type'] !== 'Seq Scan' || rows === undefined) return false;
  const read = (node['Actual Rows'] ?? rows) + (node['Rows Removed by Filter'] ?? 0);
  return read >= WHOLE * rows;
}

/** With the role of requests, rolled back afterwards. */
async function explain(
  client: pg.Client,
  projectId: string,
  statements: readonly Sent[],
  large: ReadonlyMap<string, number>,
): Promise<Pick<QueryCost, 'pages' | 'indexes' | 'scans'>> {
  const nodes: PlanNode[] = [];
  let pages = 0;
  await client.query('begin');
  try {
    await client.query('set local role vouchgraph_app');
    await client.query(`select set_config('app.project', $1, true)`, [projectId]);
    for (const { text, values } of statements) {
      if (!/^\s*(select|with|insert|update|delete)\b/i.test(text)) continue;
      // A write cannot be repeated: only its plan is examined.
      const how = /\b(insert into|update|delete from)\b/i.test(text) ? '' : 'analyze, buffers, ';
      const { rows } = await client.query(`explain (${how}format json) ${text}`, [...values]);
      const { Plan: plan } = rows[0]['QUERY PLAN'][0] as { Plan: PlanNode };
      pages += (plan['Shared Hit Blocks'] ?? 0) + (plan['Shared Read Blocks'] ?? 0);
      nodes.push(...allNodes(plan));
    }
  } finally {
    await client.query('rollback');
  }
  const names = (found: readonly PlanNode[], key: 'Index Name' | 'Relation Name') => [
    ...new Set(found.flatMap((node) => node[key] ?? [])),
  ];
  const whole = nodes.filter((node) => isWhole(node, large.get(node['Relation Name'] ?? '')));
  return {
    pages,
    indexes: names(nodes, 'Index Name'),
    scans: names(whole, 'Relation Name'),
  };
}

function allNodes(plan: PlanNode): PlanNode[] {
  return [plan, ...(plan.Plans ?? []).flatMap(allNodes)];
}
