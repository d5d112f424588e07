import { randomBytes, randomUUID } from 'node:crypto';
import { insertRows } from './support/bulk-insert.ts';
import { readOptions } from './support/options.ts';
import { describeMachine, printTable } from './support/report.ts';
import { median } from './support/statistics.ts';
import { type Workbench, withWorkbench } from './support/workbench.ts';

/*
 * Duration of DELETE /account/{id} in a project with --size stored responses of other accounts (200,000 by
 * default), and the longest time in which the gateway responds to no other request meanwhile. First with
 * responses that name their accounts, then with the same responses as wide ones, which every erasure deletes.
 */
const ANSWERS = process.argv.some((argument) => argument.startsWith('--size')) ? readOptions().size : 200_000;
const ERASURES = 5;
const CHUNK = 20_000;
/** The length of the response to an authenticate. */
const BODY = JSON.stringify({ account: 'other', filler: 'x'.repeat(3000) });

const options = { ...readOptions(), size: ANSWERS };

async function fill(bench: Workbench): Promise<void> {
  const at = new Date(Date.now() + 86_400_000);
  for (let done = 0; done < ANSWERS; done += CHUNK) {
    const rows = Array.from({ length: Math.min(CHUNK, ANSWERS - done) }, () => {
      const key_hash = randomBytes(16);
      const body = bench.project.cipher.encryptJson('idempotency_keys', key_hash.toString('hex'), BODY);
      return {
        key_hash,
        request_hash: key_hash,
        body,
        locked_until: at,
        expires_at: at,
        request_id: randomUUID(),
        subject: randomUUID(),
      };
    });
    await insertRows(
      bench,
      {
        name: 'idempotency_keys',
        columns: {
          key_hash: 'bytea',
          request_hash: 'bytea',
          body: 'bytea',
          locked_until: 'timestamptz',
          expires_at: 'timestamptz',
          request_id: 'uuid',
        },
        computed: { state: `'done'`, status: '200', erasures: '0', is_wide: 'false' },
      },
      rows,
    );
    const table = { name: 'idempotency_subjects', columns: { subject: 'uuid', key_hash: 'bytea' } };
    await insertRows(bench, table, rows);
  }
}

/** Converts all responses to wide ones. */
const WIDEN = {
  name: 'bench.widen',
  text: `insert into idempotency_subjects (project_id, subject, key_hash)
         select project_id, '00000000-0000-0000-0000-000000000000', key_hash from idempotency_keys
         where project_id = $1 and state = 'done' order by key_hash offset $2 limit $3`,
};

await withWorkbench(options, async (bench) => {
  const { url } = await bench.startGateway();

  async function call(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
    const response = await fetch(new URL(path, url), {
      method,
      headers: { 'x-api-key': bench.key, 'content-type': 'application/json', ...headers },
      body: body === undefined ? null : JSON.stringify(body),
    });
    const text = await response.text();
    if (response.status !== 200) throw new Error(`${method} ${path}: ${response.status} ${text}`);
    return JSON.parse(text);
  }

  async function openSession(): Promise<string> {
    const response = await fetch(new URL('/session', url), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ project_id: bench.project.projectId }),
    });
    return ((await response.json()) as { session_id: string }).session_id;
  }

  /** The longest time in which the gateway sent no response. */
  function watch(): () => Promise<number> {
    let longest = 0;
    let isOver = false;
    const watching = (async () => {
      while (!isOver) {
        const before = performance.now();
        await (await fetch(new URL('/livez', url))).text();
        longest = Math.max(longest, performance.now() - before);
      }
    })();
    return async () => {
      isOver = true;
      await watching;
      return longest;
    };
  }

  async function measure(answers: string): Promise<string[]> {
    const times: number[] = [];
    let silent = 0;
    let failed = 0;
    for (let index = 0; index < ERASURES; index += 1) {
      const id = randomUUID();
      const body = { session_id: await openSession(), account: { id } };
      await call('POST', '/session/authenticate', body, { 'idempotency-key': randomUUID() });
      const stop = watch();
      const before = performance.now();
      const { status } = await fetch(new URL(`/account/${id}`, url), {
        method: 'DELETE',
        headers: { 'x-api-key': bench.key },
      });
      times.push(performance.now() - before);
      if (status !== 200) failed += 1;
      silent = Math.max(silent, await stop());
    }
    return [
      answers,
      ...[median(times), Math.max(...times), silent].map((ms) => ms.toFixed(1)),
      String(failed),
    ];
  }

  const rows = [await measure('none')];
  await fill(bench);
  await bench.analyze();
  rows.push(await measure(`${ANSWERS} that name their accounts`));
  for (let done = 0; done < ANSWERS; done += CHUNK)
    await bench.system.query(WIDEN, [bench.project.projectId, done, CHUNK]);
  rows.push(await measure(`${ANSWERS} wide`));
  console.log(describeMachine());
  printTable(
    ['stored answers', 'DELETE, median ms', 'longest ms', 'longest silence of /livez, ms', 'failed'],
    rows,
  );
});
