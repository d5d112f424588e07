import { mkdirSync, writeFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { RESULTS } from './support/options.ts';
import { describeMachine, printTable } from './support/report.ts';
import { type Workbench, withWorkbench } from './support/workbench.ts';

/*
 * Cost of identity groups after authenticates, by pg_stat_statements: accounts of rings of 60 that share a
 * phone, each authenticated three times over REST, one after another. Statements on the identity tables and
 * their time are divided by the number of authenticates. Every account must be in a group with the size of its
 * ring.
 */
const RINGS = 4;
const RING = 60;
const ROUNDS = 1;
const SETTINGS = {
  shared_preload_libraries: 'pg_stat_statements',
  'pg_stat_statements.track_planning': 'on',
};

async function post(url: string, key: string, path: string, body: object): Promise<{ session_id: string }> {
  const answer = await fetch(new URL(path, url), {
    method: 'POST',
    headers: { 'x-api-key': key, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (!answer.ok) throw new Error(`${path}: ${answer.status}`);
  return (await answer.json()) as { session_id: string };
}

async function settled({ system }: Workbench): Promise<void> {
  for (;;) {
    const [row] = await system.query<{ waiting: number }>(
      {
        name: 'bench.waiting_identities',
        text: 'select count(*)::int as waiting from identity_recalculations',
      },
      [],
    );
    if (row!.waiting === 0) return;
    await delay(100);
  }
}

await withWorkbench(
  { size: 0, rounds: 1, seconds: 1, quick: true, profileFolder: null },
  async (bench) => {
    const owner = new pg.Client({ connectionString: bench.superuserUrl });
    await owner.connect();
    await owner.query('create extension pg_stat_statements');
    await owner.query(`update projects set environment = 'sandbox'`);
    const { url } = await bench.startGateway();
    await owner.query('select pg_stat_statements_reset()');
    const authenticates = RINGS * RING * ROUNDS;
    for (let index = 0; index < authenticates; index += 1) {
      const number = index % (RINGS * RING);
      const { session_id } = await post(String(url), bench.key, '/session', { device_id: `d${number}` });
      const account = { id: `n${number}`, phone: `+1415555${String(number % RINGS).padStart(4, '0')}` };
      await post(String(url), bench.key, '/session/authenticate', { session_id, account });
    }
    await settled(bench);
    const { rows } = await owner.query(
      `select calls::int, total_plan_time * 1000 as plan, total_exec_time * 1000 as exec, rows::int as found,
         regexp_replace(left(query, 70), '\\s+', ' ', 'g') as query
       from pg_stat_statements s join pg_roles r on r.oid = s.userid
       where not r.rolsuper and (query ~ 'identity_[mr]' and query !~ 'with account as|bench|link_recalculations' or query ~ '''identity ''')
         and query !~* '^(create|alter|do)'
       order by total_plan_time + total_exec_time desc`,
    );
    const { rows: groups } = await owner.query(
      'select count(*)::int as groups, min(size) as smallest, max(size) as largest from identity_groups',
    );
    printTable(
      ['statement', 'calls', 'plan µs/call', 'exec µs/call', 'rows'],
      rows.map((row) => [
        row.query,
        String(row.calls),
        (row.plan / row.calls).toFixed(0),
        (row.exec / row.calls).toFixed(0),
        String(row.found),
      ]),
    );
    const total = rows.reduce((sum, { plan, exec }) => sum + plan + exec, 0);
    console.log(
      `\n${authenticates} authenticates, ${(total / authenticates).toFixed(0)} µs each for identity groups; ${JSON.stringify(groups[0])}`,
    );
    console.log(describeMachine());
    mkdirSync(RESULTS, { recursive: true });
    writeFileSync(
      new URL('identities.json', RESULTS),
      JSON.stringify({ authenticates, total, rows }, null, 2),
    );
    const isRight = groups[0].groups === RINGS && groups[0].smallest === RING && groups[0].largest === RING;
    if (!isRight) process.exitCode = 1;
    await owner.end();
  },
  SETTINGS,
);
