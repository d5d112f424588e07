import DataLoader from 'dataloader';
import { Account } from '../domain/accounts/account.ts';
import type { LinkStrength } from '../domain/accounts/account-score.ts';
import { countFromDomains, findAccounts } from '../domain/accounts/account-store.ts';
import { findPairEvidence, type PairEvidence, type PairKey } from '../domain/linking/evidence-store.ts';
import { IDENTIFIER_KINDS } from '../domain/linking/identifier-kinds.ts';
import {
  findIdentityChanges,
  findIdentityGroupsOf,
  findIdentityMembers,
  type IdentityChangeRow,
  type IdentityGroupRow,
  type IdentityMemberRow,
} from '../domain/linking/identity-store.ts';
import {
  findLinkPages,
  findLinkStrengths,
  type LinkPage,
  type LinkRow,
} from '../domain/linking/link-store.ts';
import type { Viewer } from '../domain/projects/access-service.ts';
import { Session } from '../domain/sessions/session.ts';
import { findSessions } from '../domain/sessions/session-store.ts';
import { LIMITS } from '../platform/limits.ts';

export type LinkPageKey = LinkPage & { first: number };
export type Loaders = ReturnType<typeof createLoaders>;

/** One request's look-ups: what is asked for at one level of a query is read in one statement. */
export function createLoaders(viewer: Viewer) {
  const { project } = viewer;
  const { database } = project;
  const linkPages = new Map<string, DataLoader<string, LinkRow[]>>();
  const identityChanges = new Map<string, DataLoader<string, IdentityChangeRow[]>>();
  const identityMembers = new Map<string, DataLoader<string, IdentityMemberRow[]>>();
  return {
    account: new DataLoader<string, Account | null>(async (ids) => {
      const rows = await findAccounts(database, ids);
      const byId = new Map(rows.map((row) => [row.id, new Account(project, row)]));
      return ids.map((id) => byId.get(id) ?? null);
    }),

    session: new DataLoader<string, Session | null>(async (ids) => {
      const rows = await findSessions(database, ids);
      const byId = new Map(rows.map((row) => [row.session_id, new Session(project, row)]));
      return ids.map((id) => byId.get(id) ?? null);
    }),

    /** For each domain, how many accounts have an address of it; an address without a domain counts none. */
    accountsFromDomain: new DataLoader<string, number>(async (domains) => {
      const hashes = domains.map((domain) => project.cipher.blindIndex('email_domain', domain));
      const wanted = hashes.filter((_, index) => domains[index] !== '');
      if (wanted.length === 0) return domains.map(() => 0);
      const kind = IDENTIFIER_KINDS.email_domain;
      const counts = await countFromDomains(database, kind, wanted, LIMITS.accountsFromDomain);
      const byHash = new Map(counts.map((row) => [row.value_hash.toString('hex'), row.accounts]));
      return hashes.map((hash) => byHash.get(hash.toString('hex')) ?? 0);
    }),

    linkStrength: new DataLoader<string, LinkStrength>(async (ids) => {
      const byId = new Map((await findLinkStrengths(database, ids)).map((row) => [row.id, row]));
      return ids.map((id) => byId.get(id) ?? { count: 0, miss: 1 });
    }),

    /** What pairs of accounts share, in one statement for all pairs. */
    pairEvidence: new DataLoader<PairKey, PairEvidence[], string>(
      async (pairs) => {
        const found = await findPairEvidence(database, pairs);
        return pairs.map(({ a, b }) => found.get(`${a} ${b}`) ?? []);
      },
      { cacheKeyFn: ({ a, b }) => `${a} ${b}` },
    ),

    /** The identity groups of accounts; null for one that is alone. */
    identityGroup: new DataLoader<string, IdentityGroupRow | null>(async (ids) => {
      const byAccount = new Map(
        (await findIdentityGroupsOf(database, ids)).map((row) => [row.account_id, row]),
      );
      return ids.map((id) => byAccount.get(id) ?? null);
    }),

    /** What became of many groups at once, when so many changes of each are asked for. */
    identityChanges(first: number): DataLoader<string, IdentityChangeRow[]> {
      return kept(identityChanges, String(first), async (ids) => {
        const byGroup = Map.groupBy(await findIdentityChanges(database, ids, first), (row) => row.group_id);
        return ids.map((id) => byGroup.get(id) ?? []);
      });
    },

    /** The same page of the accounts of many groups. */
    identityMembers(after: string | null, limit: number): DataLoader<string, IdentityMemberRow[]> {
      return kept(identityMembers, `${limit}:${after}`, async (ids) => {
        const rows = await findIdentityMembers(database, ids, after, limit);
        const byGroup = Map.groupBy(rows, (row) => row.group_id);
        return ids.map((id) => byGroup.get(id) ?? []);
      });
    },

    /** Pages of links of many accounts at once, when they ask for the same page. */
    linkPage(page: LinkPageKey): DataLoader<string, LinkRow[]> {
      const { first, order, value, id, kinds, minScore } = page;
      const key = [first, order, value, id, kinds, minScore].join();
      return kept(linkPages, key, async (ids) => {
        const rows = await findLinkPages(database, ids, page, page.first + 1);
        const byParent = Map.groupBy(rows, (row) => row.parent_id);
        return ids.map((id) => byParent.get(id) ?? []);
      });
    },
  };
}

/** The loader of a question, made when it is first asked. */
function kept<Value>(
  loaders: Map<string, DataLoader<string, Value>>,
  question: string,
  load: (ids: readonly string[]) => Promise<Value[]>,
): DataLoader<string, Value> {
  const known = loaders.get(question);
  if (known) return known;
  const loader = new DataLoader<string, Value>(load);
  loaders.set(question, loader);
  return loader;
}
