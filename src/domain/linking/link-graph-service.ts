import { setImmediate as nextTurn } from 'node:timers/promises';
import { AppError } from '../../platform/errors.ts';
import { createFairShare } from '../../platform/fair-share.ts';
import type { ProjectDatabase } from '../../storage/database.ts';
import type { AccountRow } from '../model/account-row.ts';
import type { Viewer } from '../projects/access-service.ts';
import { assertMay, isWithin } from '../projects/assert-may.ts';
import {
  findByClientIds,
  findEdges,
  findLevel,
  findSteps,
  type GraphLink,
  readStep,
  STEP_WIDTH,
} from './graph-store.ts';

export type { GraphLink } from './graph-store.ts';

/*
 * Searches of the link graph read far more than they answer. How many run at once is limited, for each project and for
 * the gateway; a search reads a bounded number of links at a time, and works through them in slices between which other
 * requests have their turn.
 */

export type LinkGraph = {
  /** Internal ids with the number of links between each account and the first one. */
  nodes: { id: string; depth: number }[];
  edges: GraphLink[];
  /** Whether accounts or links were left out because of a limit. */
  truncated: boolean;
};

export type GraphLimits = { depth: number; maxNodes: number; minScore: number };

export type LinkGraphService = {
  /** Accounts by the client's own ids, in their order; null for unknown ones. */
  findAccounts(viewer: Viewer, accountIds: readonly string[]): Promise<(AccountRow | null)[]>;
  /**
   * The accounts around one, level by level, the strongest links first, until `maxNodes` are found; and the strongest
   * links among them, EDGES_PER_NODE × `maxNodes` at most. Throws `link.too_many_searches`.
   */
  collectGraph(viewer: Viewer, root: string, limits: GraphLimits): Promise<LinkGraph>;
  /**
   * The shortest way from one account to another, `maxDepth` links at most; of equally short ones one of strong links.
   * Null when there is none. Throws `link.path_too_wide` and `link.too_many_searches`.
   */
  findPath(viewer: Viewer, from: string, to: string, maxDepth: number): Promise<GraphLink[] | null>;
};

/** Links that are read for one level of a graph, or one step of a path. */
export const MAX_LINKS_OF_LEVEL = 20_000;
/** Accounts that are compared for a path. */
const MAX_VISITED = 20_000;
/** Links of a graph in its answer, for each account that it may have. */
export const EDGES_PER_NODE = 10;
const LINKS_OF_EACH = 1500;
/** Steps of a path between two turns of the event loop: about a millisecond of work. */
const STEPS_PER_SLICE = 1000;

/** Meetings of the two ends whose ways are compared: the strongest last links come first. */
const MAX_MEETINGS = 1000;

/** Three searches in a gateway, of which a project runs one: it keeps most of a processor of the database busy. */
const SEARCHES = { size: 3, reserve: 2, maxWaitMs: 5000 };

export function createLinkGraphService(): LinkGraphService {
  const searches = createFairShare(SEARCHES);

  async function search<T>({ projectId }: ProjectDatabase, work: () => Promise<T>): Promise<T> {
    await searches.take(projectId)?.catch(() => {
      throw tooManySearches();
    });
    try {
      return await work();
    } finally {
      searches.release(projectId);
    }
  }

  return {
    findAccounts(viewer, accountIds) {
      assertMay(viewer, 'link.read');
      const { database } = viewer.project;
      // For a token of one account no other exists.
      const asked = accountIds.map((accountId) => (isWithin(viewer, { accountId }) ? accountId : null));
      return findVisible(database, asked);
    },
    collectGraph(viewer, root, limits) {
      assertMay(viewer, 'link.read');
      const { database } = viewer.project;
      return search(database, () => collect(database, root, limits));
    },
    findPath(viewer, from, to, maxDepth) {
      assertMay(viewer, 'link.read');
      const { database } = viewer.project;
      return search(database, () => findShortest(database, from, to, maxDepth));
    },
  };
}

/** Accounts by the client's own ids, in their order; null for null and for unknown ones. */
async function findVisible(
  database: ProjectDatabase,
  accountIds: readonly (string | null)[],
): Promise<(AccountRow | null)[]> {
  const visible = accountIds.filter((id) => id !== null);
  const rows = visible.length === 0 ? [] : await findByClientIds(database, visible);
  return accountIds.map((id) => (id === null ? null : (rows[visible.indexOf(id)] ?? null)));
}

async function collect(
  database: ProjectDatabase,
  root: string,
  { depth, maxNodes, minScore }: GraphLimits,
): Promise<LinkGraph> {
  const nodes = [{ id: root, depth: 0 }];
  let frontier = [root];
  let truncated = false;
  for (let level = 1; level <= depth && frontier.length > 0; level++) {
    const room = maxNodes - nodes.length;
    const { links, ids } = await findLevel(database, {
      from: frontier,
      known: nodes.map(({ id }) => id),
      minScore,
      // One more than fits shows whether there are more.
      maxLinksOfEach: maxNodes + 1,
      maxLinks: MAX_LINKS_OF_LEVEL,
      maxFound: room + 1,
    });
    truncated ||= links >= MAX_LINKS_OF_LEVEL || ids.length > room;
    frontier = ids.slice(0, room);
    for (const id of frontier) nodes.push({ id, depth: level });
  }
  if (nodes.length === 1) return { nodes, edges: [], truncated };
  const maxEdges = EDGES_PER_NODE * maxNodes;
  const edges = await findEdges(
    database,
    nodes.map(({ id }) => id),
    { minScore, maxEdges: maxEdges + 1 },
  );
  return {
    nodes,
    edges: edges.slice(0, maxEdges),
    truncated: truncated || edges.length > maxEdges,
  };
}

/** One end of a search: how each account was reached, null for the end itself. */
type Side = { frontier: string[]; reached: Map<string, Arrival | null> };
type Arrival = { from: string; score: number };

/** Searches from both ends, the smaller side next, one statement for each step. */
async function findShortest(
  database: ProjectDatabase,
  from: string,
  to: string,
  maxDepth: number,
): Promise<GraphLink[] | null> {
  const sides = [startSide(from), startSide(to)] as const;
  for (let length = 1; length <= maxDepth; length++) {
    const [near, far] = sides[0].frontier.length <= sides[1].frontier.length ? sides : [sides[1], sides[0]];
    if (near.frontier.length === 0) return null;
    const { links, steps } = await findSteps(database, near.frontier, {
      maxLinksOfEach: LINKS_OF_EACH,
      maxLinks: MAX_LINKS_OF_LEVEL,
    });
    const meetings = await advance(near, far, steps);
    if (meetings.length > 0) return linksOf(database, strongest(meetings, sides));
    if (links >= MAX_LINKS_OF_LEVEL || sides[0].reached.size + sides[1].reached.size > MAX_VISITED)
      throw pathTooWide();
  }
  return null;
}

function startSide(id: string): Side {
  return { frontier: [id], reached: new Map([[id, null]]) };
}

/** Moves one side on by its steps; the accounts that the other side has reached too. */
async function advance(near: Side, far: Side, steps: string): Promise<string[]> {
  const meetings: string[] = [];
  const next: string[] = [];
  for (let offset = 0; offset < steps.length; offset += STEP_WIDTH) {
    if (offset > 0 && offset % (STEPS_PER_SLICE * STEP_WIDTH) === 0) await nextTurn();
    const { id, place, score } = readStep(steps, offset);
    if (near.reached.has(id)) continue;
    near.reached.set(id, { from: near.frontier[place]!, score });
    next.push(id);
    if (far.reached.has(id)) meetings.push(id);
  }
  near.frontier = next;
  return meetings;
}

/** The accounts of the way with the greatest product of scores. */
function strongest(meetings: readonly string[], [start, end]: readonly [Side, Side]): string[] {
  let best = { ids: [] as string[], strength: -1 };
  for (const meeting of meetings.slice(0, MAX_MEETINGS)) {
    const before = walkBack(start, meeting);
    const after = walkBack(end, meeting);
    const strength = before.strength * after.strength;
    if (strength > best.strength) best = { ids: [...before.ids.reverse(), meeting, ...after.ids], strength };
  }
  return best.ids;
}

function walkBack({ reached }: Side, id: string): { ids: string[]; strength: number } {
  const ids: string[] = [];
  let strength = 1;
  for (let arrival = reached.get(id); arrival; arrival = reached.get(arrival.from)) {
    ids.push(arrival.from);
    strength *= arrival.score;
  }
  return { ids, strength };
}

/** The links of a shortest way: there are no others between its accounts. Null when one was removed meanwhile. */
async function linksOf(database: ProjectDatabase, ids: readonly string[]): Promise<GraphLink[] | null> {
  const edges = await findEdges(database, ids, { minScore: 0, maxEdges: ids.length });
  const byStart = new Map(edges.map((edge) => [edge.from, edge]));
  const links = ids.slice(0, -1).map((id) => byStart.get(id));
  return links.every((link) => link !== undefined) ? links : null;
}

function pathTooWide(): AppError {
  return new AppError(
    'link.path_too_wide',
    'unprocessable',
    `No path among the nearest ${MAX_VISITED.toLocaleString('en')} accounts: try a smaller maxDepth`,
  );
}

function tooManySearches(): AppError {
  return new AppError(
    'link.too_many_searches',
    'rate_limited',
    'Too many searches of the link graph run at once; try again shortly',
    { retryAfterSeconds: 1 },
  );
}
