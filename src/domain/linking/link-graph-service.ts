import { setImmediate as nextTurn } from 'node:timers/promises';
import { AppError } from '@vouchgraph/platform/errors';
import { createFairShare } from '@vouchgraph/platform/fair-share';
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
 * Searches of the link graph read far more rows than they return. The number of concurrent searches is limited per project
 * and per gateway. A search reads a bounded number of links at a time, and processes them in slices that yield to the event
 * loop.
 */

export type LinkGraph = {
  /** Internal ids with their distance from the first account, in links. */
  nodes: { id: string; depth: number }[];
  edges: GraphLink[];
  /** Whether accounts or links were left out because of a limit. */
  truncated: boolean;
};

export type GraphLimits = { depth: number; maxNodes: number; minScore: number };

export type LinkGraphService = {
  /** Accounts by the client's ids, in the same order; null for unknown ids. */
  findAccounts(viewer: Viewer, accountIds: readonly string[]): Promise<(AccountRow | null)[]>;
  /**
   * Collects the accounts around one account by breadth-first search, the strongest links first, up to `maxNodes`; and the
   * strongest links among them, at most EDGES_PER_NODE × `maxNodes`. Throws `link.too_many_searches`.
   */
  collectGraph(viewer: Viewer, root: string, limits: GraphLimits): Promise<LinkGraph>;
  /**
   * Finds a shortest path of at most `maxDepth` links between two accounts, preferring strong links. Null when no such path
   * exists. Throws `link.path_too_wide` and `link.too_many_searches`.
   */
  findPath(viewer: Viewer, from: string, to: string, maxDepth: number): Promise<GraphLink[] | null>;
};

/** Maximum number of links read for one level of a graph, or one step of a path. */
export const MAX_LINKS_OF_LEVEL = 20_000;
/** Maximum number of accounts visited for a path. */
const MAX_VISITED = 20_000;
/** Maximum number of returned links per account of `maxNodes`. */
export const EDGES_PER_NODE = 10;
const LINKS_OF_EACH = 1500;
/** Steps processed before yielding to the event loop: about a millisecond of work. */
const STEPS_PER_SLICE = 1000;

/** Maximum number of meeting points whose paths are compared, the strongest last links first. */
const MAX_MEETINGS = 1000;

/** Three searches per gateway and one per project: one search uses most of a processor of the database server. */
const SEARCHES = { size: 3, reserve: 2, maxWaitMs: 5000 };

export function createLinkGraphService(): LinkGraphService {
  const searches = createFairShare(SEARCHES);

  async function search<T>({ projectId }: ProjectDatabase, work: () => Promise<T>): Promise<T> {
    await searches.acquire(projectId)?.catch(() => {
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
      // A token limited to one account sees other accounts as unknown.
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

/** Accounts by the client's ids, in the same order; null for null and for unknown ids. */
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
      // Reads one more than needed to detect truncation.
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

/** One side of a bidirectional search: how each account was reached; null for its start. */
type Side = { frontier: string[]; reached: Map<string, Arrival | null> };
type Arrival = { from: string; score: number };

/** Bidirectional search with one statement per step. The smaller frontier is extended next. */
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

/** Extends one side by its steps; returns the accounts that the other side has reached too. */
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

/** The accounts of the path with the greatest product of scores. */
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

/** Links of a shortest path: no other links exist between its accounts. Null when a link was removed concurrently. */
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
    `No path found within ${MAX_VISITED.toLocaleString('en')} accounts: use a smaller maxDepth`,
  );
}

function tooManySearches(): AppError {
  return new AppError(
    'link.too_many_searches',
    'rate_limited',
    'Too many concurrent searches of the link graph, try again shortly',
    { retryAfterSeconds: 1 },
  );
}
