import type { Load } from '../load.ts';
import type { ServerProcess } from '../processes.ts';
import { familyTime, processTime } from '../processor-time.ts';
import { shuffle } from '../statistics.ts';

/** A kind of request to one server over one database. */
export type GraphLane = {
  readonly name: string;
  readonly workload: string;
  /** Accounts of its database. */
  readonly size: number;
  readonly isLimit: boolean;
  readonly server: ServerProcess;
  readonly postgresPid: number;
  readonly connections: number;
  /** The error of a response, or null. */
  check(index: number, body: string): string | null | Promise<string | null>;
  /** Creates requests for the next turn, which sends each once; without it the lane cycles through its requests. */
  prepareTurn?(): Promise<void>;
};

export type GraphTurn = {
  requests: number;
  requestsPerSecond: number;
  p50Ms: number;
  p99Ms: number;
  /** Processor time of the server and of PostgreSQL for one request. */
  serverMicroseconds: number;
  postgresMicroseconds: number;
  statements: number;
};

export type GraphLaneResult = { lane: GraphLane; turns: GraphTurn[]; checked: number; mistakes: string[] };

/**
 * All lanes of all databases take turns in every round, in a random order, so that a slow phase of the machine
 * affects all. One uncounted turn of each runs first as a warm-up.
 */
export async function takeTurns(
  lanes: readonly GraphLane[],
  { load, rounds, seconds }: { load: Load; rounds: number; seconds: number },
): Promise<GraphLaneResult[]> {
  const results = lanes.map((lane): GraphLaneResult => ({ lane, turns: [], checked: 0, mistakes: [] }));
  for (let round = 0; round <= rounds; round += 1) {
    for (const result of shuffle(results)) {
      const turn = await takeTurn(result, load, seconds);
      if (round > 0) result.turns.push(turn);
    }
  }
  return results;
}

async function takeTurn(result: GraphLaneResult, load: Load, seconds: number): Promise<GraphTurn> {
  const { lane } = result;
  await lane.prepareTurn?.();
  const before = await usageOf(lane);
  const loadResult = await load.run(lane.name, lane.connections, lane.prepareTurn ? null : seconds);
  const after = await usageOf(lane);
  const perRequest = (key: keyof typeof before) => (after[key] - before[key]) / loadResult.requests;
  if (loadResult.failures > 0)
    result.mistakes.push(`${loadResult.failures} of ${loadResult.requests} answers without a 2xx status`);
  for (const { index, status, body } of loadResult.samples) {
    result.checked += 1;
    const mistake = status === 200 ? await lane.check(index, body) : `status ${status}`;
    if (mistake !== null) result.mistakes.push(`${mistake}: ${body.slice(0, 300)}`);
  }
  return {
    requests: loadResult.requests,
    requestsPerSecond: (loadResult.requests / loadResult.elapsedMs) * 1000,
    p50Ms: loadResult.p50Ms,
    p99Ms: loadResult.p99Ms,
    serverMicroseconds: perRequest('server'),
    postgresMicroseconds: perRequest('postgres'),
    statements: perRequest('statements'),
  };
}

async function usageOf({ server, postgresPid }: GraphLane) {
  const statements = await server.countStatements();
  return { server: processTime(server.pid), postgres: familyTime(postgresPid), statements };
}
