import { bitsOfMatchType, type MatchType, matchTypesOf } from '@vouchgraph/linking';
import { encodeCursor } from '@vouchgraph/platform/cursor';
import { forbidden, invalidInput } from '@vouchgraph/platform/errors';
import type { Direction, KeysetPosition } from '@vouchgraph/platform/keyset';
import { LIMITS } from '@vouchgraph/platform/limits';
import { betweenText, tooFewText } from '@vouchgraph/platform/wording';
import { Account } from '../../domain/accounts/account.ts';
import {
  ALL_LINKS,
  ANY_KIND,
  LINK_ORDERS,
  type LinkFilter,
  type LinkOrder,
} from '../../domain/linking/link-page.ts';
import type { LinkRow } from '../../domain/linking/link-read-service.ts';
import {
  boundOfScore,
  type LinkView,
  linkView,
  seesAccount,
  shownScore,
  shownTime,
} from '../../domain/linking/link-view.ts';
import { assertMay } from '../../domain/projects/assert-may.ts';
import { AccountRef } from '../kernel/account-ref.ts';
import { builder } from '../kernel/builder.ts';
import { byProperties } from '../kernel/collect-subjects.ts';
import { PAGE_ARGS, type PageArgs, pageCost, selectPage, toConnection } from '../kernel/connection.ts';
import type { GraphQLContext } from '../kernel/context.ts';
import { OrderDirection } from '../sessions/session.ts';
import { evidenceOf, LinkEvidenceType, MatchTypeEnum } from './link-evidence.ts';

type LinkFacts = { score: number; kinds: number; firstSeen: Date; lastSeen: Date };
type EdgeFacts = LinkFacts & { parent: Account; other: Account; view: LinkView };

/** Link of an account to another one, as an edge of its connection. */
export type LinkedAccountEdge = EdgeFacts & { node: Account | null; readonly cursor: string };

const MATCH_KINDS = 'Types of evidence of the link.';

export const LinkedAccountEdgeType = builder.edgeObject({
  type: AccountRef,
  name: 'LinkedAccountEdge',
  nodeNullable: true,
  tokenScopes: ['LINKS'],
  subjects: byProperties,
  description:
    'Link to another account: score, match types and times. node is null for browser tokens that may ' +
    'not read the other account. key identifies the account in this case.',
  nodeField: {
    rest: { unknown: 'never' },
    description:
      'Linked account. Null for browser tokens other than tokens of the project with LINKS and ' + 'ACCOUNT.',
  },
  fields: (t) => ({
    key: t.string({
      description:
        'Pseudonym of the linked account in the links of this account, as in linkGraph. 22 characters.',
      resolve: (edge) => {
        const { view, other } = edge as unknown as EdgeFacts;
        return view.keys.of(other.row.id);
      },
    }),
    score: t.float({
      description: 'Certainty that both accounts are the same person, 0.5 to 1.',
      resolve: (edge) => {
        const { score, view } = edge as unknown as EdgeFacts;
        return shownScore(score, view);
      },
    }),
    matchTypes: t.field({
      rest: { description: MATCH_KINDS },
      type: [MatchTypeEnum],
      description: 'Types of evidence of the link.',
      resolve: (edge) => matchTypesOf((edge as unknown as LinkFacts).kinds),
    }),
    firstSeen: t.field({
      rest: { description: 'Time of the first connection.' },
      type: 'DateTime',
      description:
        'Time of the first connection of the two accounts. For browser tokens with LINKS: the day ' +
        '(UTC).',
      resolve: (edge) => {
        const { firstSeen, view } = edge as unknown as EdgeFacts;
        return shownTime(firstSeen, view);
      },
    }),
    lastSeen: t.field({
      rest: { description: 'Time of the latest activity.' },
      type: 'DateTime',
      description: 'Time of the latest activity. For browser tokens with LINKS: the day (UTC).',
      resolve: (edge) => {
        const { lastSeen, view } = edge as unknown as EdgeFacts;
        return shownTime(lastSeen, view);
      },
    }),
    evidence: t.field({
      // The evidence is written from the phone of the account.
      columns: 'details',
      type: [LinkEvidenceType],
      description:
        'Evidence that both accounts share, the largest weight first. Includes evidence with weight 0.',
      resolve: (edge, _args, context) => {
        const { parent, other, view } = edge as unknown as EdgeFacts;
        return evidenceOf(context, view, parent, other.row.id);
      },
    }),
  }),
});

const LinkedAccountConnection = builder.connectionObject(
  {
    type: AccountRef,
    name: 'LinkedAccountConnection',
    nodeNullable: true,
    tokenScopes: ['LINKS'],
    subjects: 'none',
    description: 'Page of linked accounts.',
    edgesField: { rest: { description: 'Linked accounts, the highest score first, then by id.' } },
  },
  LinkedAccountEdgeType,
);

/** The linked account and the link, for answers that are not pages. */
export const LinkedAccount = builder
  .objectRef<{ account: Account; link: LinkFacts }>('LinkedAccount')
  .implement({
    tokenScopes: 'never',
    subjects: byProperties,
    description: 'Account that shares evidence with a session, with score and match types.',
    fields: (t) => ({
      account: t.field({
        type: AccountRef,
        description: 'Linked account.',
        resolve: ({ account }) => account,
      }),
      score: t.float({
        description: 'Certainty that both accounts are the same person, 0.5 to 1.',
        resolve: ({ link }) => link.score,
      }),
      matchTypes: t.field({
        rest: { description: MATCH_KINDS },
        type: [MatchTypeEnum],
        description: 'Match types of the link.',
        resolve: ({ link }) => matchTypesOf(link.kinds),
      }),
      firstSeen: t.field({
        type: 'DateTime',
        description: 'Time of the first connection.',
        resolve: ({ link }) => link.firstSeen,
      }),
      lastSeen: t.field({
        type: 'DateTime',
        description: 'Time of the latest activity.',
        resolve: ({ link }) => link.lastSeen,
      }),
    }),
  });

const LinkedAccountOrderField = builder.enumType('LinkedAccountOrderField', {
  description: 'Sort key of linked accounts.',
  values: {
    SCORE: { description: 'Score of the link.' },
    FIRST_SEEN: { description: 'Time of the first connection of the two accounts.' },
    LAST_SEEN: { description: 'Time of the latest activity of the link.' },
  } satisfies Record<LinkOrder, { description: string }>,
});

const LinkedAccountOrder = builder.inputType('LinkedAccountOrder', {
  description: 'Order of linked accounts.',
  fields: (t) => ({
    field: t.field({
      type: LinkedAccountOrderField,
      required: true,
      description: 'Sort key of linked accounts.',
    }),
    direction: t.field({ type: OrderDirection, required: true, description: 'Sort direction.' }),
  }),
});

builder.objectField(AccountRef, 'linkedAccounts', (t) =>
  t.field({
    tokenScopes: ['LINKS'],
    columns: 'main',
    type: LinkedAccountConnection,
    description:
      'Accounts of the same group that are likely the same person, the highest score first by default. ' +
      'Errors: `input.invalid`.',
    complexity: pageCost(5),
    args: {
      ...PAGE_ARGS,
      matchTypes: t.arg({
        type: [MatchTypeEnum],
        description: 'Types of evidence. Selects links with at least one of them.',
      }),
      minScore: t.arg.float({ description: 'Minimum score of the links, 0 to 1.' }),
      orderBy: t.arg({ type: LinkedAccountOrder, description: 'Order. SCORE, DESC by default.' }),
    },
    resolve: linkPage,
  }),
);

/** The largest page of links. */
export function maxLinkPage({ isTrustedDocument }: GraphQLContext): number {
  return isTrustedDocument ? LIMITS.linksPerAccount : LIMITS.pageSize;
}

export type LinkPageArgs = PageArgs & {
  matchTypes?: readonly MatchType[] | null;
  minScore?: number | null;
  orderBy?: (typeof LinkedAccountOrder)['$inferInput'] | null;
};

const DEFAULT_ORDER = { field: 'SCORE', direction: 'DESC' } as const;

function edgeOf({ viewer }: GraphQLContext, parent: Account, view: LinkView, row: LinkRow) {
  const other = new Account(viewer.project, row.account);
  return {
    parent,
    other,
    view,
    node: seesAccount(viewer, other.row.account_id) ? other : null,
    score: row.score,
    kinds: row.kinds,
    firstSeen: row.link_first_seen,
    lastSeen: row.link_last_seen,
  };
}

/** Context of the cursors of a page of links. */
const scopeOf = (view: LinkView, order: LinkOrder, direction: Direction, filter: LinkFilter) =>
  ['links', view.root, order, direction, filter, view.isMasked] as const;

/** The stored link of an account to another one, with a cursor of the default order without filters; null if it was removed. */
export async function readLinkedAccountEdge(
  context: GraphQLContext,
  account: Account,
  other: string,
): Promise<LinkedAccountEdge | null> {
  const row = await context.loaders.link.load({ a: account.row.id, b: other });
  if (!row) return null;
  const view = linkView(context.viewer, account.row.id);
  const { field, direction } = DEFAULT_ORDER;
  const scope = scopeOf(view, field, direction, ALL_LINKS);
  return {
    ...edgeOf(context, account, view, row),
    cursor: encodeCursor(context.viewer.project.cipher, JSON.stringify(scope), positionOf(row, field)),
  };
}

function positionOf(row: LinkRow, order: LinkOrder): KeysetPosition {
  const { column } = LINK_ORDERS[order];
  return [column === 'score' ? row.score : row[`link_${column}`].toISOString(), row.linked_account_id];
}

async function linkPage(account: Account, args: LinkPageArgs, context: GraphQLContext) {
  const { viewer, loaders } = context;
  assertMay(viewer, 'link.list');
  const { id } = account.row;
  const view = linkView(viewer, id);
  // Documents of REST name linked accounts by their ids.
  if (view.isMasked && context.isTrustedDocument)
    throw forbidden('Linked accounts by REST require an API key');
  const { field: order, direction } = args.orderBy ?? DEFAULT_ORDER;
  const filter = { kinds: kindsOf(args.matchTypes), minScore: boundOfScore(scoreFrom(args.minScore), view) };
  const page = selectPage(args, scopeOf(view, order, direction, filter), context);
  const rows = await loaders.linkPage({ ...filter, order, direction, page }).load(id);
  return toConnection(rows, page, {
    context,
    position: (row) => positionOf(row, order),
    edge: (row) => edgeOf(context, account, view, row),
    total: () => loaders.linkCount(filter).load(id),
  });
}

function kindsOf(matchTypes: readonly MatchType[] | null | undefined): number {
  if (matchTypes == null) return ANY_KIND;
  if (matchTypes.length === 0) throw invalidInput(`matchTypes: ${tooFewText(1)}`, ['matchTypes']);
  return matchTypes.reduce((bits, type) => bits | bitsOfMatchType(type), 0);
}

/** A score as a lower bound: 0 when none is given. */
export function scoreFrom(minScore: number | null | undefined): number {
  const score = minScore ?? 0;
  if (!(score >= 0 && score <= 1)) throw invalidInput(`minScore: ${betweenText(0, 1)}`, ['minScore']);
  return score;
}
