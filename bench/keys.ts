import { randomBytes } from 'node:crypto';
import { base62 } from '@vouchgraph/platform/ids';
import { generateApiKey } from '../src/domain/projects/api-key.ts';
import { readOptions } from './support/options.ts';
import { describeMachine, printTable } from './support/report.ts';
import { median, shuffle } from './support/statistics.ts';
import { withWorkbench } from './support/workbench.ts';

/*
 * Time of the answer 401 to keys that are unknown and to keys that are malformed, one after the other over one connection.
 * An attacker must not learn from it which of the two a key is. Every key is sent once, in a random order.
 *
 *   --rounds N  requests of each kind, in hundreds (8; 2 with --quick)
 */
const options = readOptions();
const requests = options.rounds * 100;

await withWorkbench(options, async ({ project, startGateway }) => {
  const { url } = await startGateway();
  const unknown = () => generateApiKey(project.projectId, 'production');
  const kinds: Record<string, () => string> = {
    unknown,
    'unknown project': () => generateApiKey('01975a8e-3b18-7c11-9d0e-5f2a8c4b7e61', 'production'),
    'malformed: no key at all': () => `nonsense-${base62(randomBytes(32), 43)}`,
    'malformed: wrong checksum': () => unknown().slice(0, -6).concat('000000'),
  };
  async function time(key: string): Promise<number> {
    const startedAt = performance.now();
    const answer = await fetch(new URL('/list', url), { headers: { 'x-api-key': key } });
    await answer.text();
    if (answer.status !== 401) throw new Error(`answered ${answer.status} instead of 401`);
    return performance.now() - startedAt;
  }
  for (let warm = 0; warm < 200; warm += 1) for (const make of Object.values(kinds)) await time(make());
  const times = new Map(Object.keys(kinds).map((kind) => [kind, [] as number[]]));
  for (let round = 0; round < requests; round += 1)
    for (const [kind, make] of shuffle(Object.entries(kinds))) times.get(kind)!.push(await time(make()));

  const base = median(times.get('unknown')!);
  printTable(
    ['key', 'median', 'against unknown'],
    [...times].map(([kind, taken]) => {
      const middle = median(taken);
      return [kind, `${middle.toFixed(3)} ms`, `${(100 * (middle / base - 1)).toFixed(1)} %`];
    }),
  );
  console.log(describeMachine());
});
