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
import { ANY_KIND, LINK_ORDERS, type LinkOrder } from '../domain/linking/link-page.ts';
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
import { forbidden, invalidInput } from '../platform/errors.ts';
import type { KeysetPosition } from '../platform/keyset.ts';
import { LIMITS } from '../platform/limits.ts';
import { betweenText, tooFewText } from '../platform/wording.ts';
import { AccountRef } from './account-ref.ts';
import { builder } from './builder.ts';
import { PAGE_ARGS, type PageArgs, pageCost, selectPage, toConnection } from './connection.ts';
import type { GraphQLContext } from './context.ts';
import { valuesOf } from './enum-values.ts';
import { OrderDirection } from './session.ts';

const MEANING: Readonly<Record<MatchType, string>> = {
  network: 'Same IP address, or same subnet.',
  email:
    'An email that is equal after normalising, or but for its digits or at most four edits. That of a role or a shared mailbox only supports other evidence.',
  browser: 'The same browser, by its first-party id.',
  device: 'The same device, or one whose components are equal but for one part.',
  phone: 'Equal phone number after normalising. That of a family only supports other evidence.',
  username: 'Equal username after normalising.',
  name: 'Equal first and last name, in any order, case and with any accents; beside a near email or a date of birth also names that are alike, short forms, and one of the two. It only supports other evidence.',
  face: 'The same face.',
  document_number: 'The same number of an ID document.',
  document_name: 'Equal name on ID documents. It only supports other evidence.',
  date_of_birth:
    'Equal date of birth, or one that differs in one digit or by day and month exchanged. It only supports other evidence.',
  id_number: 'The same government or other id number.',
};

export const MatchTypeEnum = builder.enumType('MatchType', {
  description: 'Type of evidence that two accounts share.',
  values: valuesOf(MATCH_TYPES, MEANING),
});

/** The kinds of evidence by their names on the interface. */
const EVIDENCE_KINDS: Readonly<Record<EvidenceKind, readonly [name: string, description: string]>> = {
  browser: ['browser', MEANING.browser],
  device: ['device', MEANING.device],
  device_part: ['near_device', 'A device whose components are equal but for one part.'],
  network: ['network', 'The same IP address; of IPv6 the same /64.'],
  neighbourhood: ['neighbourhood', 'The same neighbourhood of addresses: /24, of IPv6 /56.'],
  email: ['email', 'Equal email after normalising.'],
  email_block: ['near_email', 'An email that is equal but for its digits or at most four edits.'],
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
  description: 'A kind of thing that two accounts can share.',
  values: Object.fromEntries(
    Object.entries(EVIDENCE_KINDS).map(([kind, [name, description]]) => [
      name.toUpperCase(),
      { value: kind, description },
    ]),
  ) as Record<string, { value: EvidenceKind; description: string }>,
});

const SupportReasonEnum = builder.enumType('LinkSupportReason', {
  description: 'Reason why an equal email or phone does not link two accounts by itself.',
  values: {
    ROLE_MAILBOX: { description: 'Mailbox of a role, such as info@ or sales@: several people read it.' },
    DIFFERENT_FIRST_NAMES: {
      description:
        'Email or phone of several people: the first names of the two accounts are different, or accounts of at least four different first names wrote the email alike.',
    },
  } satisfies Record<SupportReason, { description: string }>,
});

const ReductionReasonEnum = builder.enumType('LinkReductionReason', {
  description: 'Reason why evidence counts for less.',
  values: {
    DIFFERENT_DATES_OF_BIRTH: {
      description: 'The dates of birth of the two accounts contradict: names and emails count 30 % less.',
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
        'Masked value: of contact data and names a few letters, of a date of birth the year, of a near device the part in ' +
        'which the two may differ, otherwise the first eight digits of a keyed hash, equal for equal values. Browser tokens ' +
        'with LINKS receive another hash for each account whose links they read, and null where the value is written from ' +
        'fields of other accounts.',
    }),
    sharedBy: t.exposeInt('sharedBy', {
      description: 'Accounts of the group that share it, both included; stops at 1,501.',
    }),
    weight: t.exposeFloat('weight', {
      description:
        'Weight, 0 to 1: weight x crowding x closeness in time; 0 when it does not count. The score is the noisy-or of all weights.',
    }),
    capped: t.exposeBoolean('capped', {
      description: 'Whether more accounts share it than its cap allows, so that it links nobody.',
    }),
    supportsBecause: t.field({
      type: SupportReasonEnum,
      nullable: true,
      description:
        'Reason why an equal email or phone only supports other evidence, with the weight of a near-equal email; null for one that links, and for other kinds.',
      resolve: ({ supportsBecause }) => supportsBecause,
    }),
    reducedBecause: t.field({
      type: ReductionReasonEnum,
      nullable: true,
      description: 'Reason why the weight is 30 % less; null for the whole weight.',
      resolve: ({ reducedBecause }) => reducedBecause,
    }),
    firstSeen: t.field({
      type: 'DateTime',
      description:
        'Time at which the second of the two was first seen with it; the day (UTC) for browser tokens with LINKS.',
      resolve: ({ firstSeen }) => firstSeen,
    }),
    lastSeen: t.field({
      type: 'DateTime',
      description: 'Time at which either was last seen with it; the day (UTC) for browser tokens with LINKS.',
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

const LinkedAccountConnection = builder.connectionObject(
  {
    type: AccountRef,
    name: 'LinkedAccountConnection',
    nodeNullable: true,
    description: 'A page of linked accounts, the strongest link first.',
  },
  {
    name: 'LinkedAccountEdge',
    description:
      'A link to another account: how sure, by what, since when. Its node is null for browser tokens that do not read the ' +
      'other account; key names the account then.',
    nodeField: {
      description:
        'The linked account. Null for browser tokens: only a token of the project with LINKS and ACCOUNT reads it.',
    },
    fields: (t) => ({
      key: t.string({
        description:
          'Pseudonym of the linked account within the links of this account, as in linkGraph; 22 characters.',
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
          'Time at which the two accounts were first connected; the day (UTC) for browser tokens with LINKS.',
        resolve: (edge) => {
          const { firstSeen, view } = edge as unknown as EdgeFacts;
          return shownTime(firstSeen, view);
        },
      }),
      lastSeen: t.field({
        type: 'DateTime',
        description: 'Time of the latest activity; the day (UTC) for browser tokens with LINKS.',
        resolve: (edge) => {
          const { lastSeen, view } = edge as unknown as EdgeFacts;
          return shownTime(lastSeen, view);
        },
      }),
      evidence: t.field({
        type: [LinkEvidenceType],
        description:
          'Evidence that both accounts share, the largest weight first, including evidence with weight 0.',
        resolve: (edge, _args, context) => {
          const { parent, other, view } = edge as unknown as EdgeFacts;
          return evidenceOf(context, view, parent, other.row.id);
        },
      }),
    }),
  },
);

/** The linked account and the link, for answers that are not pages. */
export const LinkedAccount = builder
  .objectRef<{ account: Account; link: LinkFacts }>('LinkedAccount')
  .implement({
    description: 'An account that a session points to, with how sure and by what.',
    fields: (t) => ({
      account: t.field({ type: AccountRef, description: 'The account.', resolve: ({ account }) => account }),
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
  description: 'Value that linked accounts are ordered by.',
  values: {
    SCORE: { description: 'Score of the link.' },
    FIRST_SEEN: { description: 'Time when the two accounts were first connected.' },
    LAST_SEEN: { description: 'Time when the link was last active.' },
  } satisfies Record<LinkOrder, { description: string }>,
});

const LinkedAccountOrder = builder.inputType('LinkedAccountOrder', {
  description: 'Order of linked accounts.',
  fields: (t) => ({
    field: t.field({
      type: LinkedAccountOrderField,
      required: true,
      description: 'Value that linked accounts are ordered by.',
    }),
    direction: t.field({ type: OrderDirection, required: true, description: 'Direction of the order.' }),
  }),
});

builder.objectField(AccountRef, 'linkedAccounts', (t) =>
  t.field({
    type: LinkedAccountConnection,
    description:
      'Accounts of the same group that are likely the same person, by default the highest score first. ' +
      'Errors: `input.invalid`.',
    complexity: pageCost(5),
    args: {
      ...PAGE_ARGS,
      matchTypes: t.arg({
        type: [MatchTypeEnum],
        description: 'Links with evidence of one of these types only.',
      }),
      minScore: t.arg.float({ description: 'Links with this score or more only, 0 to 1.' }),
      orderBy: t.arg({ type: LinkedAccountOrder, description: 'Order; SCORE, DESC by default.' }),
    },
    resolve: linkPage,
  }),
);

/** The largest page of links. */
export function largestLinkPage({ isTrustedDocument }: GraphQLContext): number {
  return isTrustedDocument ? LIMITS.linksPerAccount : LIMITS.pageSize;
}

type LinkPageArgs = PageArgs & {
  matchTypes?: readonly MatchType[] | null;
  minScore?: number | null;
  orderBy?: (typeof LinkedAccountOrder)['$inferInput'] | null;
};

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
  const { field: order, direction } = args.orderBy ?? { field: 'SCORE', direction: 'DESC' };
  const filter = { kinds: kindsOf(args.matchTypes), minScore: boundOfScore(scoreFrom(args.minScore), view) };
  const page = selectPage(args, ['links', id, order, direction, filter, view.isMasked], context);
  const rows = await loaders.linkPage({ ...filter, order, direction, page }).load(id);
  return toConnection(rows, page, {
    context,
    position: (row) => positionOf(row, order),
    edge: (row) => {
      const other = new Account(viewer.project, row.account);
      return {
        parent: account,
        other,
        view,
        node: seesAccount(viewer, other.row.account_id) ? other : null,
        score: row.score,
        kinds: row.kinds,
        firstSeen: row.link_first_seen,
        lastSeen: row.link_last_seen,
      };
    },
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
