import type { Load } from './load.ts';
import type { LoadResult } from './load-protocol.ts';
import type { ServerProcess } from './processes.ts';
import { familyFaults, familyTime, processTime, residentMegabytes } from './processor-time.ts';
import { shuffle } from './statistics.ts';

/** One row of the table: a kind of request to one server. */
export type Lane = {
  readonly name: string;
  readonly server: ServerProcess;
  readonly connections: number;
  /** The error of a response, or null. */
  check(index: number, body: string): string | null;
  /** Creates requests for the next turn, which sends each once; without it the lane cycles through its requests. */
  prepareTurn?(): Promise<void>;
  /** Waits for the background work of the turn, whose processor time counts. */
  settle?(): Promise<void>;
  noteTurn?(turn: Turn): void | Promise<void>;
};

export type Turn = {
  requestsPerSecond: number;
  p50Ms: number;
  p99Ms: number;
  serverMicroseconds: number;
  postgresMicroseconds: number;
  /** Minor page faults of PostgreSQL. */
  faults: number;
  statements: number;
  residentMb: number;
};

export type LaneResult = { lane: Lane; turns: Turn[]; mistakes: string[]; requests: number };

/** All lanes take turns in every round, in a random order, so that a slow phase of the machine affects all. */
export async function runRounds(
  lanes: readonly Lane[],
  options: { rounds: number; seconds: number; load: Load; postgresPid: number; say: (line: string) => void },
): Promise<LaneResult[]> {
  const results = lanes.map((lane): LaneResult => ({ lane, turns: [], mistakes: [], requests: 0 }));
  for (const result of results) await takeTurn(result, options);
  // The first turns are a warm-up: they are checked and not counted.
  for (const result of results) result.turns.length = 0;
  for (let round = 1; round <= options.rounds; round += 1) {
    for (const result of shuffle(results)) await takeTurn(result, options);
    const rates = results.map(
      ({ lane, turns }) => `${lane.name} ${Math.round(turns[turns.length - 1]!.requestsPerSecond)}/s`,
    );
    options.say(`round ${round} of ${options.rounds}: ${rates.join(', ')}`);
  }
  return results;
}

/** One turn of a lane, added to its result. */
export async function takeTurn(
  result: LaneResult,
  { load, seconds, postgresPid }: { load: Load; seconds: number; postgresPid: number },
): Promise<void> {
  const { lane } = result;
  await lane.prepareTurn?.();
  const before = await usageOf(lane.server, postgresPid);
  const loadResult = await load.run(lane.name, lane.connections, lane.prepareTurn ? null : seconds);
  await lane.settle?.();
  const after = await usageOf(lane.server, postgresPid);
  const perRequest = (key: keyof typeof before) => (after[key] - before[key]) / loadResult.requests;
  result.requests += loadResult.requests;
  const turn = {
    requestsPerSecond: (loadResult.requests / loadResult.elapsedMs) * 1000,
    p50Ms: loadResult.p50Ms,
    p99Ms: loadResult.p99Ms,
    serverMicroseconds: perRequest('server'),
    postgresMicroseconds: perRequest('postgres'),
    faults: perRequest('faults'),
    statements: perRequest('statements'),
    residentMb: residentMegabytes(lane.server.pid),
  };
  result.turns.push(turn);
  await lane.noteTurn?.(turn);
  recordErrors(result, loadResult);
}

async function usageOf(server: ServerProcess, postgresPid: number) {
  const statements = await server.countStatements();
  const postgres = familyTime(postgresPid);
  return { server: processTime(server.pid), postgres, faults: familyFaults(postgresPid), statements };
}

function recordErrors({ lane, mistakes }: LaneResult, loadResult: LoadResult): void {
  if (loadResult.failures > 0)
    mistakes.push(`${loadResult.failures} of ${loadResult.requests} answers without a 2xx status`);
  if (loadResult.samples.length === 0) mistakes.push('no answer was looked at');
  for (const { index, status, body } of loadResult.samples) {
    const mistake = status === 200 ? lane.check(index, body) : `status ${status}`;
    if (mistake !== null) mistakes.push(`${mistake}: ${body.slice(0, 300)}`);
  }
}
