import { matchTypesOf } from '@vouchgraph/linking';
import { invalidInput } from '@vouchgraph/platform/errors';
import { inSlices } from '@vouchgraph/platform/slices';
import { betweenText } from '@vouchgraph/platform/wording';
import { Account } from '../../domain/accounts/account.ts';
import { accountNotFound } from '../../domain/accounts/errors.ts';
import {
  EDGES_PER_NODE,
  type GraphLimits,
  type GraphLink,
  MAX_LINKS_OF_LEVEL,
} from '../../domain/linking/link-graph-service.ts';
import {
  boundOfScore,
  type LinkView,
  linkView,
  seesAccount,
  seesPseudonyms,
  shownScore,
  shownTime,
} from '../../domain/linking/link-view.ts';
import type { Viewer } from '../../domain/projects/access-service.ts';
import { isLimited, scopeMissing } from '../../domain/projects/assert-may.ts';
import { AccountRef } from '../kernel/account-ref.ts';
import { builder } from '../kernel/builder.ts';
import type { GraphQLContext } from '../kernel/context.ts';
import { scoreFrom } from './link.ts';
import { findAccounts, findPair } from './link-accounts.ts';
import { evidenceOf, LinkEvidenceType, MatchTypeEnum } from './link-evidence.ts';

const MAX_DEPTH = 4;
const DEFAULT_DEPTH = 2;
const MAX_NODES = 500;
const DEFAULT_NODES = 100;
const MAX_HOPS = 6;
const DEFAULT_HOPS = 4;

/** Nodes and edges resolved per iteration of the event loop. */
const NODES_PER_SLICE = 50;
const EDGES_PER_SLICE = 100;
/** Rows of accounts are wide: more in one answer of the database would hold the event loop. */
const ACCOUNTS_PER_STATEMENT = 100;

/** Links that PostgreSQL reads in the time in which one field of an answer is resolved. */
const LINKS_PER_FIELD = 25;

type Edge = GraphLink & { source: Account; target: Account; view: LinkView };
type Node = { account: Account; depth: number; view: LinkView };
type Graph = { nodes: Node[]; edges: Edge[]; truncated: boolean };
type Path = { nodes: Node[]; hops: Edge[] };

const GraphNode = builder.objectRef<Node>('LinkGraphNode').implement({
  tokenScopes: ['LINKS'],
  subjects: 'wide',
  mask: 'none',
  description: 'Account of a link graph or of a path.',
  fields: (t) => ({
    key: t.string({
      description:
        'Pseudonym of the account in the links of the queried account: 22 characters, stable. The same ' +
        'account has other pseudonyms in the graphs of other accounts. Edges contain the key.',
      resolve: ({ account, view }) => view.keys.of(account.row.id),
    }),
    depth: t.exposeInt('depth', {
      description: 'Number of links between the account and the queried account. 0 for the queried account.',
    }),
    account: t.field({
      type: AccountRef,
      nullable: true,
      description:
        'Account. Null if the viewer may not read it: a browser token without the scope ACCOUNT, or one ' +
        'that is limited to another account.',
      resolve: ({ account }, _args, { viewer }) =>
        seesAccount(viewer, account.row.account_id) ? account : null,
    }),
  }),
});

export const GraphEdge = builder.objectRef<Edge>('LinkGraphEdge').implement({
  tokenScopes: ['LINKS'],
  subjects: 'wide',
  mask: 'none',
  description: 'Link between two accounts of a graph or of a path.',
  fields: (t) => ({
    from: t.string({
      description: 'Key of the node of one account.',
      resolve: ({ source, view }) => view.keys.of(source.row.id),
    }),
    to: t.string({
      description: 'Key of the node of the other account.',
      resolve: ({ target, view }) => view.keys.of(target.row.id),
    }),
    score: t.float({
      description: 'Certainty that both are the same person, 0.5 to 1.',
      resolve: ({ score, view }) => shownScore(score, view),
    }),
    matchTypes: t.field({
      type: [MatchTypeEnum],
      description: 'Types of evidence of the link.',
      resolve: ({ kinds }) => matchTypesOf(kinds),
    }),
    firstSeen: t.field({
      type: 'DateTime',
      description: 'Time of the first connection. For browser tokens with LINKS: the day (UTC).',
      resolve: ({ firstSeen, view }) => shownTime(firstSeen, view),
    }),
    lastSeen: t.field({
      type: 'DateTime',
      description: 'Time of the latest activity. For browser tokens with LINKS: the day (UTC).',
      resolve: ({ lastSeen, view }) => shownTime(lastSeen, view),
    }),
    evidence: t.field({
      type: [LinkEvidenceType],
      description:
        'Evidence that both accounts share, the largest weight first. Values are from fields of the ' +
        'account `from`.',
      // Nearly all links rest on one or two identifiers.
      complexity: { field: 1, multiplier: 1 },
      resolve: ({ source, target, view }, _args, context) => evidenceOf(context, view, source, target.row.id),
    }),
  }),
});

/** The stored link of an account to another one, as an edge of the graph of this account; null if it was removed. */
export async function readGraphEdge(
  context: GraphQLContext,
  source: Account,
  to: string,
): Promise<Edge | null> {
  const from = source.row.id;
  const row = await context.loaders.link.load({ a: from, b: to });
  if (!row) return null;
  return {
    from,
    to,
    source,
    target: new Account(context.viewer.project, row.account),
    view: linkView(context.viewer, from),
    score: row.score,
    kinds: row.kinds,
    firstSeen: row.link_first_seen,
    lastSeen: row.link_last_seen,
  };
}

const LinkGraph = builder.objectRef<Graph>('LinkGraph').implement({
  tokenScopes: ['LINKS'],
  subjects: 'wide',
  description: 'Accounts around an account, and the links among them.',
  fields: (t) => ({
    nodes: t.field({
      type: [GraphNode],
      description: 'Accounts: the queried account first, then by depth, the strongest links first.',
      complexity: { field: 1, multiplier: 1 },
      resolve: ({ nodes }) => inSlices(nodes, NODES_PER_SLICE),
    }),
    edges: t.field({
      type: [GraphEdge],
      description:
        'Links between the nodes, the strongest first, at most 10 × `maxNodes`. Each link appears once.',
      complexity: { field: 1, multiplier: EDGES_PER_NODE },
      resolve: ({ edges }) => inSlices(edges, EDGES_PER_SLICE),
    }),
    truncated: t.exposeBoolean('truncated', {
      description: 'Whether accounts or links were omitted because of a limit.',
    }),
  }),
});

const LinkPath = builder.objectRef<Path>('LinkPath').implement({
  tokenScopes: ['LINKS'],
  subjects: 'wide',
  description: 'Path between two accounts, over links.',
  fields: (t) => ({
    nodes: t.field({
      type: [GraphNode],
      description: 'Accounts of the path, from `from` to `to`.',
      resolve: ({ nodes }) => nodes,
    }),
    hops: t.field({
      type: [GraphEdge],
      description: 'Links of the path, in order. Each link starts at the end of the previous link.',
      resolve: ({ hops }) => hops,
    }),
  }),
});

builder.queryFields((t) => ({
  linkGraph: t.field({
    type: LinkGraph,
    nullable: true,
    description:
      'Accounts that are linked to an account, level by level, and the links among them. A level reads ' +
      'at most 20,000 links, which its cost includes. Errors: `account.not_found`, ' +
      '`link.too_many_searches` (too many running searches of the project), `input.invalid`.',
    authScopes: { may: 'link.read' },
    complexity: ({ depth, maxNodes }) => costOfGraph(depth ?? DEFAULT_DEPTH, maxNodes ?? DEFAULT_NODES),
    args: {
      accountId: t.arg.id({ required: true, description: 'Id of the account, assigned by the client.' }),
      depth: t.arg.int({
        defaultValue: DEFAULT_DEPTH,
        description: 'Number of levels, 1 to 4. 2 by default.',
      }),
      maxNodes: t.arg.int({
        defaultValue: DEFAULT_NODES,
        description: 'Maximum number of accounts, 1 to 500. 100 by default.',
      }),
      minScore: t.arg.float({ description: 'Minimum score of the links, 0 to 1.' }),
    },
    resolve: async (_root, args, context) => {
      const limits = {
        depth: within('depth', args.depth ?? DEFAULT_DEPTH, MAX_DEPTH),
        maxNodes: within('maxNodes', args.maxNodes ?? DEFAULT_NODES, MAX_NODES),
        minScore: scoreFrom(args.minScore),
      };
      const [root] = await findAccounts(context, [String(args.accountId)]);
      return graphAround(context, root!, limits);
    },
  }),
  linkPath: t.field({
    type: LinkPath,
    nullable: true,
    description:
      'Shortest path between two accounts, over links. Null if no path exists. Each link of `maxDepth` ' +
      'adds 800 to the cost, because a step reads up to 20,000 links. Errors: `account.not_found`, ' +
      '`link.path_too_wide` (more than 20,000 accounts to compare), `link.too_many_searches` (too many ' +
      'running searches of the project), `auth.forbidden` (the argument to, with a browser token of the ' +
      'project without ACCOUNT).',
    authScopes: { may: 'link.read' },
    complexity: ({ maxDepth }) => costOfPath(maxDepth ?? DEFAULT_HOPS),
    args: {
      from: t.arg.id({ required: true, description: 'Id of the first account, assigned by the client.' }),
      to: t.arg.id({
        description:
          'Id of the last account, assigned by the client. Exactly one of to and toKey is required. ' +
          'Browser tokens of an account, and tokens of the project without ACCOUNT, use toKey.',
      }),
      toKey: t.arg.string({ description: 'Key of the last account, from the linkGraph of `from`.' }),
      maxDepth: t.arg.int({
        defaultValue: DEFAULT_HOPS,
        description: 'Maximum number of links, 1 to 6. 4 by default.',
      }),
    },
    resolve: async (_root, args, context) => {
      const maxDepth = within('maxDepth', args.maxDepth ?? DEFAULT_HOPS, MAX_HOPS);
      const { from, to } = await findEnds(context, String(args.from), args.to, args.toKey);
      return pathBetween(context, from, to, maxDepth);
    },
  }),
}));

/** A graph of at most `maxNodes` accounts: the links that its levels and the links among its accounts can read. */
function costOfGraph(depth: number, maxNodes: number) {
  const nodes = clamp(maxNodes, MAX_NODES);
  const levels = clamp(depth, MAX_DEPTH);
  const linksOfLevels = nodes + (levels - 1) * Math.min(nodes * nodes, MAX_LINKS_OF_LEVEL);
  return { field: Math.ceil(linksOfLevels / LINKS_PER_FIELD), multiplier: nodes };
}

function costOfPath(maxDepth: number) {
  return { field: (clamp(maxDepth, MAX_HOPS) * MAX_LINKS_OF_LEVEL) / LINKS_PER_FIELD };
}

/** The cost is asked for before arguments are checked. */
function clamp(value: number, max: number): number {
  return Math.min(Math.max(value, 1), max);
}

function within(name: string, value: number, most: number): number {
  if (!(value >= 1 && value <= most)) throw invalidInput(`${name}: ${betweenText(1, most)}`, [name]);
  return value;
}

/** Both ends of a path; the second by the client's id, or by its key in the graph of the first. */
async function findEnds(
  context: GraphQLContext,
  from: string,
  to: string | number | null | undefined,
  toKey: string | null | undefined,
): Promise<{ from: Account; to: Account }> {
  if ((to == null) === (toKey == null))
    throw invalidInput('to: exactly one of to and toKey is required', ['to']);
  if (to != null) {
    assertMayName(context.viewer);
    const [one, other] = await findPair(context, [from, String(to)], ['from', 'to']);
    return { from: one, to: other };
  }
  const [start] = await findAccounts(context, [from]);
  const id = linkView(context.viewer, start!.row.id).keys.idOf(toKey!);
  const end = id === null ? null : await context.loaders.account.load(id);
  if (!end) throw accountNotFound();
  if (end.row.id === start!.row.id) throw invalidInput('toKey: must be another account than from', ['toKey']);
  return { from: start!, to: end };
}

/**
 * A viewer of pseudonyms does not find by an id which key an account has. Tokens of an account find no other account by its
 * id.
 */
function assertMayName(viewer: Viewer): void {
  if (!isLimited(viewer) && seesPseudonyms(viewer)) throw scopeMissing(['ACCOUNT'], 'The argument to');
}

async function graphAround(context: GraphQLContext, root: Account, limits: GraphLimits): Promise<Graph> {
  const view = linkView(context.viewer, root.row.id);
  const { nodes, edges, truncated } = await context.services.linkGraph.collectGraph(
    context.viewer,
    root.row.id,
    { ...limits, minScore: boundOfScore(limits.minScore, view) },
  );
  const accounts = await accountsById(
    context,
    nodes.map(({ id }) => id),
  );
  return {
    nodes: nodes.flatMap(({ id, depth }) => {
      const account = accounts.get(id);
      return account ? [{ account, depth, view }] : [];
    }),
    edges: edgesBetween(edges, accounts, view).map(directed),
    truncated,
  };
}

async function pathBetween(
  context: GraphQLContext,
  from: Account,
  to: Account,
  maxDepth: number,
): Promise<Path | null> {
  const links = await context.services.linkGraph.findPath(context.viewer, from.row.id, to.row.id, maxDepth);
  if (!links) return null;
  const view = linkView(context.viewer, from.row.id);
  const accounts = await accountsById(
    context,
    links.flatMap(({ from, to }) => [from, to]),
  );
  const hops = edgesBetween(links, accounts, view);
  const passed = hops.length === 0 ? [] : [hops[0]!.source, ...hops.map(({ target }) => target)];
  return { nodes: passed.map((account, depth) => ({ account, depth, view })), hops };
}

/**
 * A link of the queried account starts there: its evidence is written from this account's fields. The direction of other
 * links depends on the keys in a masked view, not on the order of the accounts.
 */
function directed(edge: Edge): Edge {
  const { from, to, view } = edge;
  if (from === view.root) return edge;
  const isTurned = to === view.root || (view.isMasked && view.keys.of(from) > view.keys.of(to));
  return isTurned ? { ...edge, from: to, to: from, source: edge.target, target: edge.source } : edge;
}

/** The accounts of all ids, so many in one statement; one that was erased meanwhile is missing. */
async function accountsById(
  { loaders }: GraphQLContext,
  ids: readonly string[],
): Promise<Map<string, Account>> {
  const found = new Map<string, Account>();
  for (let start = 0; start < ids.length; start += ACCOUNTS_PER_STATEMENT) {
    const slice = ids.slice(start, start + ACCOUNTS_PER_STATEMENT);
    for (const account of await Promise.all(slice.map((id) => loaders.account.load(id))))
      if (account) found.set(account.row.id, account);
  }
  return found;
}

function edgesBetween(
  links: readonly GraphLink[],
  accounts: ReadonlyMap<string, Account>,
  view: LinkView,
): Edge[] {
  return links.flatMap((link) => {
    const [source, target] = [accounts.get(link.from), accounts.get(link.to)];
    return source && target ? [{ ...link, source, target, view }] : [];
  });
}
