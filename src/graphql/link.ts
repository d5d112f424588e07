import { Account } from '../domain/accounts/account.ts';
import { MATCH_TYPES, type MatchType, matchTypesOf } from '../domain/linking/identifier-kinds.ts';
import { FIRST_LINK, type LinkRow } from '../domain/linking/link-store.ts';
import { decodeCursor } from '../platform/cursor.ts';
import { forbidden } from '../platform/errors.ts';
import { LIMITS } from '../platform/limits.ts';
import { AccountRef } from './account-ref.ts';
import { builder } from './builder.ts';
import { pageSize, toPage } from './connection.ts';
import type { GraphQLContext } from './context.ts';

const MEANING: Readonly<Record<MatchType, string>> = {
  network: 'They came from the same IP address, or its neighbourhood.',
  email: 'An email that is equal after normalising, or but for its digits or one place.',
  browser: 'The same browser, by its first-party id.',
  device: 'The same device.',
  phone: 'Equal phone number after normalising.',
  username: 'Equal username after normalising.',
  name: 'Equal first and last name, in any order, case and with any accents. It only supports other evidence.',
  face: 'The same face.',
  document_number: 'The same number of an ID document.',
  document_name: 'Equal name on ID documents. It only supports other evidence.',
};

export const MatchTypeEnum = builder.enumType('MatchType', {
  description: 'What two accounts have in common.',
  values: Object.fromEntries(MATCH_TYPES.map((type) => [type, { description: MEANING[type] }])) as Record<
    MatchType,
    { description: string }
  >,
});

type LinkFacts = { score: number; kinds: number; firstSeen: Date; lastSeen: Date };

const LinkedAccountConnection = builder.connectionObject(
  {
    type: AccountRef,
    name: 'LinkedAccountConnection',
    description: 'A page of linked accounts, the strongest link first.',
  },
  {
    name: 'LinkedAccountEdge',
    description: 'A link to another account: how sure, by what, since when.',
    fields: (t) => ({
      score: t.float({
        description: 'How sure it is that both are the same person, 0.5 to 1.',
        resolve: (edge) => (edge as unknown as LinkFacts).score,
      }),
      matchTypes: t.field({
        type: [MatchTypeEnum],
        description: 'What the link rests on.',
        resolve: (edge) => matchTypesOf((edge as unknown as LinkFacts).kinds),
      }),
      firstSeen: t.field({
        type: 'DateTime',
        description: 'When the two accounts were first connected.',
        resolve: (edge) => (edge as unknown as LinkFacts).firstSeen,
      }),
      lastSeen: t.field({
        type: 'DateTime',
        description: 'When the link was last active.',
        resolve: (edge) => (edge as unknown as LinkFacts).lastSeen,
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
      score: t.float({ description: 'How sure, 0.5 to 1.', resolve: ({ link }) => link.score }),
      matchTypes: t.field({
        type: [MatchTypeEnum],
        description: 'What they have in common.',
        resolve: ({ link }) => matchTypesOf(link.kinds),
      }),
      firstSeen: t.field({
        type: 'DateTime',
        description: 'When first connected.',
        resolve: ({ link }) => link.firstSeen,
      }),
      lastSeen: t.field({
        type: 'DateTime',
        description: 'When last active.',
        resolve: ({ link }) => link.lastSeen,
      }),
    }),
  });

builder.objectField(AccountRef, 'linkedAccounts', (t) =>
  t.field({
    type: LinkedAccountConnection,
    description: 'Accounts of the same group that are taken for the same person, the strongest link first.',
    complexity: ({ first }) => ({ field: 5, multiplier: first ?? 20 }),
    args: {
      first: t.arg.int({ description: 'How many, 100 at most; 20 by default.' }),
      after: t.arg.string({ description: 'Cursor to go on behind.' }),
    },
    resolve: linkPage,
  }),
);

/** A page's size at most: what is stored for documents of our own. */
export function largestLinkPage({ isTrustedDocument }: GraphQLContext): number {
  return isTrustedDocument ? LIMITS.linksPerAccount : LIMITS.pageSize;
}

async function linkPage(
  account: Account,
  args: { first?: number | null; after?: string | null },
  context: GraphQLContext,
) {
  // A browser token that names an account reads that account, not those that it is linked to.
  if (context.viewer.accountId !== undefined) throw forbidden('This token reads one account only');
  const { project } = context.viewer;
  const size = Math.min(pageSize(args.first, context), LIMITS.linksPerAccount);
  const scope = `links:${account.row.id}`;
  const after = args.after == null ? null : decodeCursor(project.cipher, scope, args.after);
  const position = after ? { score: Number(after[0]), id: String(after[1]) } : FIRST_LINK;
  const rows = await context.loaders.linkPage({ first: size, ...position }).load(account.row.id);
  return toPage(rows, size, {
    context,
    scope,
    hasPrevious: after !== null,
    position: (row: LinkRow) => [row.score, row.linked_account_id],
    edge: (row: LinkRow) => ({
      node: new Account(project, row.account),
      score: row.score,
      kinds: row.kinds,
      firstSeen: row.link_first_seen,
      lastSeen: row.link_last_seen,
    }),
  });
}
