import { Account } from '../domain/accounts/account.ts';
import {
  bitsOfMatchType,
  MATCH_TYPES,
  type MatchType,
  matchTypesOf,
} from '../domain/identifiers/identifier-kinds.ts';
import {
  type EvidenceKind,
  explainPair,
  type ReductionReason,
  type SupportReason,
} from '../domain/linking/explain-pair.ts';
import {
  ALL_LINKS,
  ANY_KIND,
  LINK_ORDERS,
  type LinkFilter,
  type LinkOrder,
} from '../domain/linking/link-page.ts';
import type { LinkRow, PairKey } from '../domain/linking/link-read-service.ts';
import {
  boundOfScore,
  type LinkView,
  linkView,
  type ShownEvidence,
  seesAccount,
  shownEvidence,
  shownScore,
  shownTime,
} from '../domain/linking/link-view.ts';
import { assertMay } from '../domain/projects/assert-may.ts';
import { encodeCursor } from '../platform/cursor.ts';
import { forbidden, invalidInput } from '../platform/errors.ts';
import type { Direction, KeysetPosition } from '../platform/keyset.ts';
import { LIMITS } from '../platform/limits.ts';
import { betweenText, tooFewText } from '../platform/wording.ts';
import { AccountRef } from './account-ref.ts';
import { builder } from './builder.ts';
import { PAGE_ARGS, type PageArgs, pageCost, selectPage, toConnection } from './connection.ts';
import type { GraphQLContext } from './context.ts';
import { GROWING, valuesOf } from './enum-values.ts';
import { OrderDirection } from './session.ts';

const MEANING: Readonly<Record<MatchType, string>> = {
  network: 'Same IP address or same subnet.',
  email:
    'Email address that is equal after normalizing, or near-equal. The address of a role mailbox or shared mailbox only supports other evidence.',
  browser: 'Same browser, by its first-party id.',
  device: 'Same device, or a device with all components but one equal.',
  phone:
    'Equal phone number after normalizing. Only supports other evidence if the first names of the two accounts contradict and at ' +
    'most 7 accounts have the number, or if its extensions differ and at most 100 accounts have it.',
  username: 'Equal username after normalizing.',
  name:
    'Equal first and last name, in any order, case and accents. With a near-equal email address or a date ' +
    'of birth also similar names, short forms, and one of the two names. Only supports other evidence.',
  face: 'Same face.',
  document_number: 'Same number of an ID document.',
  document_name: 'Equal name on ID documents. Only supports other evidence.',
  date_of_birth:
    'Equal date of birth, or a date that differs in one digit or by exchanged day and month. Only ' +
    'supports other evidence.',
  id_number: 'Same government or other id number.',
};

export const MatchTypeEnum = builder.enumType('MatchType', {
  ...GROWING,
  description: 'Type of evidence that two accounts share. New types can be added.',
  values: valuesOf(MATCH_TYPES, MEANING),
});

/** The kinds of evidence by their names on the interface. */
const EVIDENCE_KINDS: Readonly<Record<EvidenceKind, readonly [name: string, description: string]>> = {
  browser: ['browser', MEANING.browser],
  device: ['device', MEANING.device],
  device_part: ['near_device', 'Device with all components but one equal.'],
  network: ['network', 'Same IPv4 address, or same /64 of IPv6.'],
  subnet: ['neighbourhood', 'Same subnet: /24 of IPv4, /56 of IPv6.'],
  email: ['email', 'Equal email after normalizing.'],
  email_block: [
    'near_email',
    'Email address with the same domain, or near spellings of one large provider, whose local part differs only in digits or ' +
      'by few edits: 1 in 10 letters of the address, at most 4 in 30 or more.',
  ],
  phone: ['phone', MEANING.phone],
  username: ['username', MEANING.username],
  name: ['name', MEANING.name],
  face: ['face', MEANING.face],
  document_number: ['document_number', MEANING.document_number],
  document_name: ['document_name', MEANING.document_name],
  birth_date: ['date_of_birth', MEANING.date_of_birth],
  id_number: ['id_number', MEANING.id_number],
};

const LinkEvidenceKind = builder.enumType('LinkEvidenceKind', {
  description: 'Kind of evidence that two accounts can share.',
  values: Object.fromEntries(
    Object.entries(EVIDENCE_KINDS).map(([kind, [name, description]]) => [
      name.toUpperCase(),
      { value: kind, description },
    ]),
  ) as Record<string, { value: EvidenceKind; description: string }>,
});

const SupportReasonEnum = builder.enumType('LinkSupportReason', {
  description: 'Reason why an equal email address or phone number does not link two accounts by itself.',
  values: {
    ROLE_MAILBOX: { description: 'Role mailbox, such as info@ or sales@, which several people read.' },
    DIFFERENT_FIRST_NAMES: {
      description:
        'Email address or phone number of several people. The first names of the two accounts are ' +
        'different, or the suffixes of their names (Jr., Sr.), or accounts with at least four different ' +
        'first names have the address in the same spelling.',
    },
    DIFFERENT_EXTENSIONS: {
      description: 'Phone number with different extensions, which several people share.',
    },
  } satisfies Record<SupportReason, { description: string }>,
});

const ReductionReasonEnum = builder.enumType('LinkReductionReason', {
  description: 'Reason for a reduced weight.',
  values: {
    DIFFERENT_DATES_OF_BIRTH: {
      description: 'Different dates of birth of the two accounts. Names and email addresses weigh 30 % less.',
    },
  } satisfies Record<ReductionReason, { description: string }>,
});

export const LinkEvidenceType = builder.objectRef<ShownEvidence>('LinkEvidence').implement({
  description: 'Evidence that two accounts share, with its weight.',
  fields: (t) => ({
    kind: t.field({
      type: LinkEvidenceKind,
      description: 'Kind of the evidence.',
      resolve: ({ kind }) => kind,
    }),
    maskedValue: t.exposeString('maskedValue', {
      nullable: true,
      description:
        'Masked value. For contact data and names: a few letters. For dates of birth: the year. For ' +
        'near-equal devices: the part that may differ. Otherwise: the first eight digits of a keyed ' +
        'hash, equal for equal values. Browser tokens with LINKS receive different hashes for each ' +
        'account whose links they read. Null for browser tokens with LINKS if the value is from fields ' +
        'of other accounts.',
    }),
    sharedBy: t.exposeInt('sharedBy', {
      description:
        'Number of accounts of the group that share the evidence, including both accounts, at most 1,501.',
    }),
    weight: t.exposeFloat('weight', {
      description:
        'Weight, 0 to 1: base weight × sharing factor × time factor, or × share of the agreeing letters of a ' +
        'near-equal email address. 0 if the evidence does not count. ' +
        'The score is the noisy-or of all weights, at most 0.49 if the dates of birth contradict and the ' +
        'accounts share no identifier that links alone.',
    }),
    capped: t.exposeBoolean('capped', {
      description: 'Whether the evidence is over its sharing limit, and therefore links no accounts.',
    }),
    supportsBecause: t.field({
      type: SupportReasonEnum,
      nullable: true,
      description:
        'Reason why an equal email address or phone number only supports other evidence, with the ' +
        'weight of a near-equal email address. Null if it links accounts, and for other kinds.',
      resolve: ({ supportsBecause }) => supportsBecause,
    }),
    reducedBecause: t.field({
      type: ReductionReasonEnum,
      nullable: true,
      description: 'Reason for a weight reduced by 30 %. Null if it is not reduced.',
      resolve: ({ reducedBecause }) => reducedBecause,
    }),
    firstSeen: t.field({
      type: 'DateTime',
      description:
        'Time of the first use of the evidence by the second of the two accounts. For browser tokens ' +
        'with LINKS: the day (UTC).',
      resolve: ({ firstSeen }) => firstSeen,
    }),
    lastSeen: t.field({
      type: 'DateTime',
      description:
        'Time of the latest use of the evidence by either account. For browser tokens with LINKS: the ' +
        'day (UTC).',
      resolve: ({ lastSeen }) => lastSeen,
    }),
  }),
});

/** Shared identifiers of a pair for a viewer. Values are read from fields of the first account. */
export async function evidenceOf(
  { viewer, loaders }: GraphQLContext,
  view: LinkView,
  account: Account,
  other: string,
): Promise<ShownEvidence[]> {
  const pair: PairKey = { a: account.row.id, b: other };
  const evidence = explainPair(await loaders.pairEvidence.load(pair), {
    ...account.personal,
    phone: account.phone,
  });
  return shownEvidence(evidence, view, viewer.project.cipher, account.row.id === view.root);
}

type LinkFacts = { score: number; kinds: number; firstSeen: Date; lastSeen: Date };
type EdgeFacts = LinkFacts & { parent: Account; other: Account; view: LinkView };

/** Link of an account to another one, as an edge of its connection. */
export type LinkedAccountEdge = EdgeFacts & { node: Account | null; readonly cursor: string };

export const LinkedAccountEdgeType = builder.edgeObject({
  type: AccountRef,
  name: 'LinkedAccountEdge',
  nodeNullable: true,
  description:
    'Link to another account: score, match types and times. node is null for browser tokens that may ' +
    'not read the other account. key identifies the account in this case.',
  nodeField: {
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
      type: [MatchTypeEnum],
      description: 'Types of evidence of the link.',
      resolve: (edge) => matchTypesOf((edge as unknown as LinkFacts).kinds),
    }),
    firstSeen: t.field({
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
      type: 'DateTime',
      description: 'Time of the latest activity. For browser tokens with LINKS: the day (UTC).',
      resolve: (edge) => {
        const { lastSeen, view } = edge as unknown as EdgeFacts;
        return shownTime(lastSeen, view);
      },
    }),
    evidence: t.field({
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
    description: 'Page of linked accounts.',
  },
  LinkedAccountEdgeType,
);

/** The linked account and the link, for answers that are not pages. */
export const LinkedAccount = builder
  .objectRef<{ account: Account; link: LinkFacts }>('LinkedAccount')
  .implement({
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
