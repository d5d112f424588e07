import { kindOfNumber, matchTypesOf } from '@vouchgraph/linking';
import { createRandom } from '../signals/random.ts';
import type { LinkNetwork } from './link-network.ts';
import { LINK_OF_SHAPE } from './load-graph.ts';
import { personOf } from './people.ts';
import { type GraphStatement, MAX_NODES, PAGE_SIZE } from './statements.ts';

/** One read, by the gateway in GraphQL and by PostgreSQL in one statement. */
export type Workload = {
  readonly name: string;
  readonly query: string;
  readonly statement: GraphStatement;
  /** The accounts of as many different requests as there are, by the client's ids. */
  choose(network: LinkNetwork): string[][];
  /** The part that must be equal in both responses; throws when the response itself is wrong. */
  fromGraphql(data: never, ids: readonly string[], network: LinkNetwork): unknown;
  fromSql(answer: never): unknown;
};

const REQUESTS = 5000;

const PAGE = `query ($a: ID!) { account(accountId: $a) { linkedAccounts(first: ${PAGE_SIZE}) {
  edges { score matchTypes node { accountId } }
} } }`;
const EVIDENCE = `query ($a: ID!) { account(accountId: $a) { linkedAccounts(first: ${PAGE_SIZE}) {
  edges { score matchTypes evidence { kind maskedValue sharedBy weight capped } node { accountId } }
} } }`;
const graphQuery = (
  depth: number,
) => `query ($a: ID!) { linkGraph(accountId: $a, depth: ${depth}, maxNodes: ${MAX_NODES}) {
  nodes { key depth account { accountId } } edges { from to score matchTypes } truncated
} }`;
const PATH = `query ($a: ID!, $b: ID!) { linkPath(from: $a, to: $b, maxDepth: 4) {
  nodes { key account { accountId } } hops { from to score }
} }`;

type GraphqlPage = {
  account: {
    linkedAccounts: {
      edges: {
        score: number;
        matchTypes: string[];
        evidence?: { kind: string; sharedBy: number; weight: number; capped: boolean; maskedValue: string }[];
        node: { accountId: string };
      }[];
    };
  };
};
type SqlPage = {
  edges: {
    score: number;
    matchTypes: number;
    accountId: string;
    evidence?: { kind: number; sharedBy: number }[];
  }[];
};

/** Types of matches as GraphQL names them. */
const typesOf = (kinds: number) =>
  matchTypesOf(kinds)
    .map((type) => type.toUpperCase())
    .join();

const page = {
  fromGraphql: ({ account }: GraphqlPage) =>
    account.linkedAccounts.edges.map(({ score, matchTypes, evidence, node }) => [
      node.accountId,
      score,
      matchTypes.join(),
      evidence
        ?.map(({ kind, sharedBy, capped, weight, maskedValue }) => {
          if (maskedValue === '' || (capped && weight > 0)) throw new Error(`wrong evidence of ${kind}`);
          return `${kind} of ${sharedBy}`;
        })
        .sort(),
    ]),
  fromSql: ({ edges }: SqlPage) =>
    edges.map(({ score, matchTypes, accountId, evidence }) => [
      accountId,
      score,
      typesOf(matchTypes),
      evidence?.map(({ kind, sharedBy }) => `${kindOfNumber(kind).toUpperCase()} of ${sharedBy}`).sort(),
    ]),
};

type Edge<Types> = { from: string; to: string; score: number; matchTypes: Types };
type GraphqlGraph = {
  linkGraph: {
    nodes: { key: string; depth: number; account: { accountId: string } }[];
    edges: Edge<string[]>[];
    truncated: boolean;
  };
};
type SqlGraph = {
  nodes: { depth: number; accountId: string }[];
  edges: Edge<number>[];
  truncated: boolean;
};

const edgeText = <Types>({ from, to, score }: Edge<Types>, types: string) =>
  `${[from, to].sort().join()} ${score} ${types}`;
/** The accounts of nodes by the keys that edges refer to. */
const idsByKey = (nodes: readonly { key: string; account: { accountId: string } }[]) => {
  const ids = new Map(nodes.map(({ key, account }) => [key, account.accountId]));
  return <Link extends { from: string; to: string }>(link: Link): Link => ({
    ...link,
    from: ids.get(link.from)!,
    to: ids.get(link.to)!,
  });
};

const graph = {
  fromGraphql: ({ linkGraph: { nodes, edges, truncated } }: GraphqlGraph) => ({
    nodes: nodes.map(({ depth, account }) => `${account.accountId} ${depth}`).sort(),
    edges: edges
      .map(idsByKey(nodes))
      .map((edge) => edgeText(edge, edge.matchTypes.join()))
      .sort(),
    truncated,
  }),
  fromSql: ({ nodes, edges, truncated }: SqlGraph) => ({
    nodes: nodes.map(({ depth, accountId }) => `${accountId} ${depth}`).sort(),
    edges: edges.map((edge) => edgeText(edge, typesOf(edge.matchTypes))).sort(),
    truncated,
  }),
};

type GraphqlPath = {
  linkPath: {
    nodes: { key: string; account: { accountId: string } }[];
    hops: { from: string; to: string; score: number }[];
  };
};
type SqlPath = { ids: string[] };

/** Several shortest paths may exist, so each hop must be a link, from one end to the other. */
const path = {
  fromGraphql({ linkPath: { nodes, hops } }: GraphqlPath, [from]: readonly string[], network: LinkNetwork) {
    let at = from;
    for (const hop of hops.map(idsByKey(nodes))) {
      const shape = network.shapeOf(numberOf(hop.from), numberOf(hop.to));
      if (hop.from !== at || !shape || LINK_OF_SHAPE[shape].score !== hop.score)
        throw new Error('not a path');
      at = hop.to;
    }
    return { length: hops.length, to: at };
  },
  fromSql: ({ ids }: SqlPath) => ({ length: ids.length, to: ids.at(-1) }),
};

const numberOf = (accountId: string) => Number(accountId.slice('user-'.length));

/** Accounts without a connection to the hub. */
function anyAccounts({ firstHubPartner, size }: LinkNetwork): number[] {
  const random = createRandom(size + 1);
  return Array.from({ length: REQUESTS }, () => random.whole(1, firstHubPartner - 1));
}

const idsOf = (...numbers: number[]) => numbers.map((n) => personOf(n).accountId);
const anyone = (network: LinkNetwork) => anyAccounts(network).map((n) => idsOf(n));
const hubOnly = ({ hub }: LinkNetwork) => [idsOf(hub)];

function pairsAtDistance3(network: LinkNetwork): string[][] {
  const random = createRandom(network.size + 2);
  return anyAccounts(network).flatMap((from) => {
    const to = network.drawAtDistance(from, 3, random);
    return to === null ? [] : [idsOf(from, to)];
  });
}

export const WORKLOADS = [
  { name: 'links', query: PAGE, statement: 'page', choose: anyone, ...page },
  { name: 'links with evidence', query: EVIDENCE, statement: 'evidence', choose: anyone, ...page },
  { name: 'graph, depth 2', query: graphQuery(2), statement: 'graph', choose: anyone, ...graph },
  { name: 'path of 3 hops', query: PATH, statement: 'path', choose: pairsAtDistance3, ...path },
  { name: 'hub: links', query: PAGE, statement: 'page', choose: hubOnly, ...page },
  { name: 'hub: graph, depth 1', query: graphQuery(1), statement: 'around', choose: hubOnly, ...graph },
] as const satisfies readonly Workload[];
