import { mkdirSync, writeFileSync } from 'node:fs';
import { MATCH_KEY_VERSION } from '@vouchgraph/linking';
import { newId } from '@vouchgraph/platform/ids';
import { insertRows } from './support/bulk-insert.ts';
import { RESULTS, readOptions } from './support/options.ts';
import { describeMachine, printTable } from './support/report.ts';
import { median, quantile } from './support/statistics.ts';
import { type Workbench, withWorkbench } from './support/workbench.ts';

/*
 * Duration of a move of 1,000 accounts from one list to another over REST, beside one prepared statement that
 * only changes the same rows. Every outcome of every move is checked.
 */
const MOVED = 1000;
const MOVES_PER_ROUND = 4;

const options = readOptions();

async function fill(bench: Workbench): Promise<string[]> {
  const created = new Date();
  const accounts = Array.from({ length: options.size }, (_, index) => ({
    id: newId(),
    account_id: `account-${index}`,
    personal: Buffer.alloc(0),
    created_at: created,
    updated_at: created,
  }));
  await insertRows(
    bench,
    {
      name: 'accounts',
      columns: {
        id: 'uuid',
        account_id: 'text',
        personal: 'bytea',
        created_at: 'timestamptz',
        updated_at: 'timestamptz',
      },
      computed: {
        ...{ expected_countries: `'{}'::text[]`, countries: `'{}'::text[]` },
        match_key_version: String(MATCH_KEY_VERSION),
      },
    },
    accounts,
  );
  await insertRows(
    bench,
    {
      name: 'list_members',
      columns: { account_id: 'uuid' },
      computed: { list_id: `(select list_id from lists where project_id = $1 and name = 'block')` },
    },
    accounts.map(({ id }) => ({ account_id: id })),
  );
  return accounts.map(({ account_id }) => account_id);
}

const MOVE_ROWS = {
  name: 'bench.move_rows',
  text: `update list_members m set list_id = t.list_id
         from lists s, lists t, accounts a
         where s.project_id = $1 and s.name = $2 and t.project_id = $1 and t.name = $3
           and a.project_id = $1 and a.account_id = any($4)
           and m.project_id = $1 and m.list_id = s.list_id and m.account_id = a.id
         returning 1`,
};

await withWorkbench(options, async (bench) => {
  const ids = await fill(bench);
  await bench.analyze();
  const { url } = await bench.startGateway();

  async function moveOverRest(from: string, to: string, accountIds: string[]): Promise<number> {
    const body = JSON.stringify({ account_ids: accountIds, target_list: to });
    const before = performance.now();
    const response = await fetch(new URL(`/list/${from}/account/move`, url), {
      method: 'POST',
      headers: { 'x-api-key': bench.key, 'content-type': 'application/json' },
      body,
    });
    const answer = (await response.json()) as { moved: number; results: unknown[] };
    const took = performance.now() - before;
    if (answer.moved !== MOVED || answer.results.length !== MOVED)
      throw new Error(`moved ${answer.moved} of ${MOVED}: ${response.status}`);
    return took;
  }

  async function moveRows(from: string, to: string, accountIds: string[]): Promise<number> {
    const before = performance.now();
    const rows = await bench.system.query(MOVE_ROWS, [bench.project.projectId, from, to, accountIds]);
    const took = performance.now() - before;
    if (rows.length !== MOVED) throw new Error(`the statement moved ${rows.length} of ${MOVED}`);
    return took;
  }

  const times = { rest: [] as number[], statement: [] as number[] };
  for (let round = 0; round < options.rounds * MOVES_PER_ROUND; round += 1) {
    const start = (round * MOVED) % (ids.length - MOVED + 1);
    const chosen = ids.slice(start, start + MOVED);
    // Forth and back in turns.
    times.rest.push(await moveOverRest('block', 'allow', chosen));
    times.statement.push(await moveRows('allow', 'block', chosen));
  }
  const row = (name: string, values: readonly number[]) => [
    name,
    median(values).toFixed(1),
    quantile(
      values.toSorted((a, b) => a - b),
      0.99,
    ).toFixed(1),
  ];
  printTable(
    [`move of ${MOVED} accounts, ${ids.length} on the list`, 'median ms', 'p99 ms'],
    [row('POST /list/block/account/move', times.rest), row('one statement (limit)', times.statement)],
  );
  const ratio = median(times.statement) / median(times.rest);
  const machine = describeMachine();
  console.log(`\nratio ${ratio.toFixed(3)}\n${machine}`);
  mkdirSync(RESULTS, { recursive: true });
  writeFileSync(new URL('move.json', RESULTS), `${JSON.stringify({ machine, ratio, times }, null, 2)}\n`);
});
