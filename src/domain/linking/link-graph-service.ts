import type { ProjectDatabase } from '../../storage/database.ts';
import { findLevel, type GraphLink } from './graph-store.ts';

export type LinkGraph = {
  /** Internal ids with how many links they are away. */
  nodes: { id: string; depth: number }[];
  edges: GraphLink[];
  /** Whether there is more than `maxNodes` let in. */
  truncated: boolean;
};

/** A level's links that are looked at, and links that are told, the strongest of each: a ring of 500 has 124,750. */
const MOST_LINKS = 20_000;
const MOST_EDGES = 5000;

/**
 * The accounts around one, level by level, the strongest links first, until `maxNodes` are found; and the links among
 * them. One statement for each level.
 */
export async function collectGraph(
  database: ProjectDatabase,
  root: string,
  { depth, maxNodes, minScore }: { depth: number; maxNodes: number; minScore: number },
): Promise<LinkGraph> {
  const depths = new Map([[root, 0]]);
  const edges = new Map<string, GraphLink>();
  let frontier = [root];
  let truncated = false;
  for (let level = 1; level <= depth && frontier.length > 0; level++) {
    // One more than can be let in tells whether there is more.
    const found = await findLevel(database, {
      from: frontier,
      known: [...depths.keys()],
      minScore,
      each: maxNodes + 1,
      most: MOST_LINKS,
      reached: maxNodes - depths.size,
      closes: level === depth,
    });
    truncated ||= found.length >= MOST_LINKS;
    const next: string[] = [];
    for (const { to } of found) {
      if (depths.has(to)) continue;
      if (depths.size >= maxNodes) {
        truncated = true;
        continue;
      }
      depths.set(to, level);
      next.push(to);
    }
    for (const link of found) edges.set(edgeKey(link), link);
    frontier = next;
  }
  const among = [...edges.values()].filter(({ from, to }) => depths.has(from) && depths.has(to));
  return {
    nodes: [...depths].map(([id, at]) => ({ id, depth: at })),
    edges: among.sort((a, b) => b.score - a.score).slice(0, MOST_EDGES),
    truncated: truncated || among.length > MOST_EDGES,
  };
}

/** A link is found from both ends. */
function edgeKey({ from, to }: GraphLink): string {
  return from < to ? `${from} ${to}` : `${to} ${from}`;
}

/** More accounts than this are not looked through for a path. */
export const MOST_VISITED = 20_000;
const LINKS_OF_EACH = 1500;

/** The search gave up before it had seen all that is near enough. */
export class PathTooWideError extends Error {}

/**
 * The shortest way from one account to another, `maxDepth` links at most; of equally short ones one of strong links.
 * Null when there is none. Searched from both ends, the smaller side next, one statement for each level; throws
 * PathTooWideError beyond MOST_VISITED accounts.
 */
export async function findPath(
  database: ProjectDatabase,
  from: string,
  to: string,
  maxDepth: number,
): Promise<GraphLink[] | null> {
  const sides = [startSide(from), startSide(to)] as const;
  for (let steps = 0; steps < maxDepth; steps++) {
    const [near, far] = sides[0].frontier.length <= sides[1].frontier.length ? sides : [sides[1], sides[0]];
    if (near.frontier.length === 0) return null;
    const found = await findLevel(database, {
      from: near.frontier,
      known: [],
      minScore: 0,
      each: LINKS_OF_EACH,
      most: MOST_VISITED,
      reached: 0,
      closes: false,
    });
    const meetings: string[] = [];
    near.frontier = [];
    for (const link of found) {
      if (near.reachedBy.has(link.to)) continue;
      near.reachedBy.set(link.to, link);
      near.frontier.push(link.to);
      if (far.reachedBy.has(link.to)) meetings.push(link.to);
    }
    if (meetings.length > 0) return strongest(meetings.map((id) => pathThrough(id, sides)));
    if (found.length >= MOST_VISITED || sides[0].reachedBy.size + sides[1].reachedBy.size > MOST_VISITED)
      throw new PathTooWideError();
  }
  return null;
}

type Side = { frontier: string[]; reachedBy: Map<string, GraphLink | null> };

function startSide(id: string): Side {
  return { frontier: [id], reachedBy: new Map([[id, null]]) };
}

function pathThrough(id: string, [start, end]: readonly [Side, Side]): GraphLink[] {
  const before: GraphLink[] = [];
  for (let link = start.reachedBy.get(id); link; link = start.reachedBy.get(link.from)) before.unshift(link);
  const after: GraphLink[] = [];
  for (let link = end.reachedBy.get(id); link; link = end.reachedBy.get(link.from)) {
    after.push({ ...link, from: link.to, to: link.from });
  }
  return [...before, ...after];
}

function strongest(paths: readonly GraphLink[][]): GraphLink[] {
  const strength = (path: readonly GraphLink[]) => path.reduce((product, { score }) => product * score, 1);
  return paths.reduce((best, path) => (strength(path) > strength(best) ? path : best));
}
