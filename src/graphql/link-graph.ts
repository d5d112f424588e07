import { Account } from '../domain/accounts/account.ts';
import { accountNotFound } from '../domain/accounts/errors.ts';
import { explainPair, type LinkEvidence } from '../domain/linking/explain-pair.ts';
import { findByClientIds, type GraphLink } from '../domain/linking/graph-store.ts';
import { matchTypesOf } from '../domain/linking/identifier-kinds.ts';
import {
  collectGraph,
  findPath,
  MOST_VISITED,
  PathTooWideError,
} from '../domain/linking/link-graph-service.ts';
import { LINK_THRESHOLD, weighPair } from '../domain/linking/pair-score.ts';
import { AppError, invalidInput } from '../platform/errors.ts';
import { LIMITS } from '../platform/limits.ts';
import { AccountRef } from './account-ref.ts';
import { builder } from './builder.ts';
import type { GraphQLContext } from './context.ts';
import { evidenceOf, LinkEvidenceType, MatchTypeEnum, scoreFrom } from './link.ts';
import { forbidLimitedToken } from './session.ts';

const MOST_DEPTH = 4;
const MOST_NODES = 500;
const DEFAULT_NODES = 100;
const MOST_HOPS = 6;
const DEFAULT_HOPS = 4;

type Edge = GraphLink & { source: Account; target: Account };
type Node = { account: Account; depth: number };
type Graph = { nodes: Node[]; edges: Edge[]; truncated: boolean };

const GraphNode = builder.objectRef<Node>('LinkGraphNode').implement({
  description: 'An account of a link graph.',
  fields: (t) => ({
    account: t.field({ type: AccountRef, description: 'The account.', resolve: ({ account }) => account }),
    depth: t.exposeInt('depth', {
      description: 'How many links it is away from the account that was asked for.',
    }),
  }),
});

const GraphEdge = builder.objectRef<Edge>('LinkGraphEdge').implement({
  description: 'A link between two accounts of a graph, or one hop of a path.',
  fields: (t) => ({
    from: t.string({
      description: "The client's id of one account.",
      resolve: ({ source }) => source.row.account_id,
    }),
    to: t.string({
      description: "The client's id of the other.",
      resolve: ({ target }) => target.row.account_id,
    }),
    score: t.exposeFloat('score', { description: 'How sure the link is, 0.5 to 1.' }),
    matchTypes: t.field({
      type: [MatchTypeEnum],
      description: 'What it rests on.',
      resolve: ({ kinds }) => matchTypesOf(kinds),
    }),
    firstSeen: t.field({
      type: 'DateTime',
      description: 'When the two were first connected.',
      resolve: ({ firstSeen }) => firstSeen,
    }),
    lastSeen: t.field({
      type: 'DateTime',
      description: 'When the link was last active.',
      resolve: ({ lastSeen }) => lastSeen,
    }),
    evidence: t.field({
      type: [LinkEvidenceType],
      description: 'Everything that the two share, the weightiest first; values as `from` has them.',
      resolve: ({ source, target }, _args, context) => evidenceOf(context, source, target.row.id),
    }),
  }),
});

const LinkGraph = builder.objectRef<Graph>('LinkGraph').implement({
  description: 'The accounts around one, with the links among them.',
  fields: (t) => ({
    nodes: t.field({
      type: [GraphNode],
      description: 'The account itself first, then by depth, the strongest links first.',
      resolve: ({ nodes }) => nodes,
    }),
    edges: t.field({
      type: [GraphEdge],
      description: 'Each link between two of the nodes once, the strongest first; 5,000 at most.',
      resolve: ({ edges }) => edges,
    }),
    truncated: t.exposeBoolean('truncated', {
      description: 'Whether there are more accounts or links than were let in.',
    }),
  }),
});

const LinkPath = builder.objectRef<{ hops: Edge[] }>('LinkPath').implement({
  description: 'A way from one account to another over links.',
  fields: (t) => ({
    hops: t.field({
      type: [GraphEdge],
      description: 'Its links in order; each begins where the one before ends.',
      resolve: ({ hops }) => hops,
    }),
  }),
});

type Comparison = {
  score: number;
  isLinked: boolean;
  isSameGroup: boolean;
  evidence: LinkEvidence[];
  reasons: string[];
};

const WhyNotLinked = builder.objectRef<Comparison>('WhyNotLinked').implement({
  description: 'What two accounts share, and why it is enough for a link or not.',
  fields: (t) => ({
    linked: t.boolean({
      description: 'Whether they are linked after all.',
      resolve: ({ isLinked }) => isLinked,
    }),
    score: t.exposeFloat('score', { description: 'How sure it is that both are the same person, 0 to 1.' }),
    threshold: t.float({
      description: 'The score from which accounts are linked.',
      resolve: () => LINK_THRESHOLD,
    }),
    sameGroup: t.boolean({
      description: 'Whether they are in the same group; accounts of different groups are never linked.',
      resolve: ({ isSameGroup }) => isSameGroup,
    }),
    evidence: t.field({
      type: [LinkEvidenceType],
      description: 'Everything that they share, the weightiest first, with what does not count.',
      resolve: ({ evidence }) => evidence,
    }),
    reasons: t.stringList({
      description: 'Why it is not enough, a sentence each; empty when they are linked.',
      resolve: ({ reasons }) => reasons,
    }),
  }),
});

builder.queryFields((t) => ({
  linkGraph: t.field({
    type: LinkGraph,
    description:
      'The accounts around one, level by level, and the links among them. Unknown account: account.not_found.',
    authScopes: { read: true },
    complexity: ({ maxNodes }) => ({
      field: 10,
      multiplier: Math.min(maxNodes ?? DEFAULT_NODES, MOST_NODES) / 10,
    }),
    args: {
      accountId: t.arg.id({ required: true, description: "The client's id of the account." }),
      depth: t.arg.int({ description: 'How many links away, 1 to 4; 2 by default.' }),
      maxNodes: t.arg.int({ description: 'How many accounts at most, 1 to 500; 100 by default.' }),
      minScore: t.arg.float({ description: 'Only links of this score at least, 0 to 1.' }),
    },
    resolve: async (_root, args, context) => {
      forbidLimitedToken(context);
      const limits = {
        depth: within('depth', args.depth ?? 2, MOST_DEPTH),
        maxNodes: within('maxNodes', args.maxNodes ?? DEFAULT_NODES, MOST_NODES),
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
      'The shortest way from one account to another over links; null when there is none. Unknown account: account.not_found; link.path_too_wide when more than 20,000 accounts would have to be looked through.',
    authScopes: { read: true },
    complexity: { field: 50 },
    args: {
      from: t.arg.id({ required: true, description: "The client's id of the account where it begins." }),
      to: t.arg.id({ required: true, description: "The client's id of the account where it ends." }),
      maxDepth: t.arg.int({ description: 'How many links at most, 1 to 6; 4 by default.' }),
    },
    resolve: async (_root, args, context) => {
      forbidLimitedToken(context);
      const maxDepth = within('maxDepth', args.maxDepth ?? DEFAULT_HOPS, MOST_HOPS);
      const [from, to] = await findPair(context, [String(args.from), String(args.to)], ['from', 'to']);
      return pathBetween(context, from, to, maxDepth);
    },
  }),
  whyNotLinked: t.field({
    type: WhyNotLinked,
    description: 'What two accounts share and why they are not linked. Unknown account: account.not_found.',
    authScopes: { read: true },
    complexity: { field: 10 },
    args: {
      a: t.arg.id({ required: true, description: "The client's id of one account." }),
      b: t.arg.id({ required: true, description: "The client's id of the other." }),
    },
    resolve: async (_root, args, context) => {
      forbidLimitedToken(context);
      const [a, b] = await findPair(context, [String(args.a), String(args.b)], ['a', 'b']);
      return compare(context, a, b);
    },
  }),
}));

function within(name: string, value: number, most: number): number {
  if (!(value >= 1 && value <= most)) throw invalidInput(`${name} must be from 1 to ${most}`, [name]);
  return value;
}

async function findAccounts(context: GraphQLContext, ids: readonly string[]): Promise<Account[]> {
  const { project } = context.viewer;
  if (ids.some((id) => id.length > LIMITS.accountIdLength)) throw accountNotFound();
  const rows = await findByClientIds(project.database, ids);
  return rows.map((row) => {
    if (!row) throw accountNotFound();
    return new Account(project, row);
  });
}

async function findPair(
  context: GraphQLContext,
  ids: readonly [string, string],
  names: readonly [string, string],
): Promise<[Account, Account]> {
  if (ids[0] === ids[1]) throw invalidInput(`${names.join(' and ')} are the same account`, [names[1]]);
  const [one, other] = await findAccounts(context, ids);
  return [one!, other!];
}

async function graphAround(
  context: GraphQLContext,
  root: Account,
  limits: { depth: number; maxNodes: number; minScore: number },
): Promise<Graph> {
  const { nodes, edges, truncated } = await collectGraph(
    context.viewer.project.database,
    root.row.id,
    limits,
  );
  const accounts = await accountsById(
    context,
    nodes.map(({ id }) => id),
  );
  return {
    nodes: nodes.flatMap(({ id, depth }) => {
      const account = accounts.get(id);
      return account ? [{ account, depth }] : [];
    }),
    edges: edgesBetween(edges, accounts),
    truncated,
  };
}

async function pathBetween(
  context: GraphQLContext,
  from: Account,
  to: Account,
  maxDepth: number,
): Promise<{ hops: Edge[] } | null> {
  const links = await findPath(context.viewer.project.database, from.row.id, to.row.id, maxDepth).catch(
    (error) => {
      if (!(error instanceof PathTooWideError)) throw error;
      throw new AppError(
        'link.path_too_wide',
        'unprocessable',
        `No path among the nearest ${MOST_VISITED.toLocaleString('en')} accounts: try a smaller maxDepth`,
      );
    },
  );
  if (!links) return null;
  const accounts = await accountsById(
    context,
    links.flatMap(({ from, to }) => [from, to]),
  );
  return { hops: edgesBetween(links, accounts) };
}

/** The rows of all of them in one statement; one that was erased meanwhile is missing. */
async function accountsById(
  { loaders }: GraphQLContext,
  ids: readonly string[],
): Promise<Map<string, Account>> {
  const accounts = await Promise.all([...new Set(ids)].map((id) => loaders.account.load(id)));
  return new Map(accounts.flatMap((account) => (account ? [[account.row.id, account]] : [])));
}

function edgesBetween(links: readonly GraphLink[], accounts: ReadonlyMap<string, Account>): Edge[] {
  return links.flatMap((link) => {
    const [source, target] = [accounts.get(link.from), accounts.get(link.to)];
    return source && target ? [{ ...link, source, target }] : [];
  });
}

async function compare(context: GraphQLContext, a: Account, b: Account): Promise<Comparison> {
  const isSameGroup = a.row.account_group === b.row.account_group;
  const shared = isSameGroup ? await context.loaders.pairEvidence.load({ a: a.row.id, b: b.row.id }) : [];
  const evidence = explainPair(shared, a.personal);
  const { score } = weighPair(shared);
  const isLinked = score >= LINK_THRESHOLD;
  return {
    score,
    isLinked,
    isSameGroup,
    evidence,
    reasons: isLinked ? [] : reasonsOf(isSameGroup, evidence, score),
  };
}

function reasonsOf(isSameGroup: boolean, evidence: readonly LinkEvidence[], score: number): string[] {
  if (!isSameGroup) return ['They are in different groups, and accounts are linked inside their group only.'];
  if (evidence.length === 0) return ['They share nothing.'];
  const capped = evidence.filter((each) => each.capped);
  const unsupported = evidence.filter(
    ({ kind, capped, weight }) => !capped && weight === 0 && (kind === 'name' || kind === 'document_name'),
  );
  return [
    ...capped.map(
      ({ kind, sharedBy }) =>
        `${sharedBy} accounts share the ${wordOf(kind)}, too many for it to say anything.`,
    ),
    ...unsupported.map(
      ({ kind }) =>
        `The ${wordOf(kind)} only supports a device, a network or an email, of which they share none.`,
    ),
    ...(score > 0 ? [`What counts makes ${score}, less than the ${LINK_THRESHOLD} of a link.`] : []),
  ];
}

function wordOf(kind: string): string {
  return kind === 'email_block' ? 'near-equal email' : kind.replaceAll('_', ' ');
}
