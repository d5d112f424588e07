import DataLoader from 'dataloader';
import { Account } from '../domain/accounts/account.ts';
import { countFromDomains, findAccounts } from '../domain/accounts/account-store.ts';
import type { LinkStrength } from '../domain/decisions/account-score.ts';
import { findSampled, type SampledDecision } from '../domain/decisions/backtests/backtest-store.ts';
import { type DecisionRow, findDecisionsOfAccounts } from '../domain/decisions/decision-store.ts';
import type { EmailCheck } from '../domain/email-checks/email-check.ts';
import { type CheckPage, listChecks } from '../domain/email-checks/email-check-store.ts';
import { IDENTIFIER_KINDS } from '../domain/identifiers/identifier-kinds.ts';
import { findPairEvidence, type PairComparison, type PairKey } from '../domain/linking/evidence-store.ts';
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
import { readPersons } from '../domain/linking/read-persons.ts';
import {
  countMembers,
  findAccountIdsOnLists,
  findKeptOff,
  findMembers,
  type KeptOffRow,
  type ListMemberRow,
  type MemberPosition,
} from '../domain/lists/list-store.ts';
import { findPhoneHistories, type PhoneHistory } from '../domain/phone/phone-history-store.ts';
import type { Viewer } from '../domain/projects/access-service.ts';
import {
  countRuleMatches,
  findRuleMatches,
  findRuleVersions,
  type RuleMatchCounts,
  type RuleMatchRow,
  type RuleVersion,
} from '../domain/rules/rule-history-store.ts';
import { Session } from '../domain/sessions/session.ts';
import { findSessions } from '../domain/sessions/session-store.ts';
import {
  type AttemptRow,
  findAttempts,
  deliveryPages as findDeliveryPages,
} from '../domain/webhooks/delivery-store.ts';
import type { Delivery, DeliveryState } from '../domain/webhooks/endpoint.ts';
import type { Clock } from '../platform/clock.ts';
import { LIMITS } from '../platform/limits.ts';

export type LinkPageKey = LinkPage & { first: number };
export type Loaders = ReturnType<typeof createLoaders>;

/** One request's look-ups: what is asked for at one level of a query is read in one statement. */
export function createLoaders(viewer: Viewer, clock: Clock) {
  const { project } = viewer;
  const { database } = project;
  const linkPages = new Map<string, DataLoader<string, LinkRow[]>>();
  const identityChanges = new Map<string, DataLoader<string, IdentityChangeRow[]>>();
  const identityMembers = new Map<string, DataLoader<string, IdentityMemberRow[]>>();
  const listMembers = new Map<string, DataLoader<string, ListMemberRow[]>>();
  const decisions = new Map<string, DataLoader<string, DecisionRow[]>>();
  const ruleVersions = new Map<string, DataLoader<string, RuleVersion[]>>();
  const ruleMatches = new Map<string, DataLoader<string, RuleMatchRow[]>>();
  const ruleMatchCounts = new Map<string, DataLoader<string, RuleMatchCounts>>();
  const deliveryPages = new Map<string, DataLoader<string, Delivery[]>>();
  const emailChecks = new Map<string, DataLoader<string, EmailCheck[]>>();
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

    /** What the project stored of phone numbers before, by their match keys. */
    phoneHistory: new DataLoader<string, PhoneHistory>((keys) =>
      findPhoneHistories(project, keys, clock.now()),
    ),

    /** What pairs of accounts share, in one statement for all pairs, and one for the holders of those that are compared. */
    pairEvidence: new DataLoader<PairKey, PairComparison, string>(
      async (pairs) => {
        const found = await findPairEvidence(database, pairs, (rows) => readPersons(project, rows));
        return pairs.map(({ a, b }) => found.get(`${a} ${b}`) ?? { shared: [], compared: null });
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

    /** Decisions on many accounts before one, the newest first, so many of each. */
    decisions(before: string, limit: number): DataLoader<string, DecisionRow[]> {
      return kept(decisions, `${limit}:${before}`, async (ids) => {
        const rows = await findDecisionsOfAccounts(database, ids, { before, limit });
        const byAccount = Map.groupBy(rows, (row) => row.account);
        return ids.map((id) => byAccount.get(id) ?? []);
      });
    },

    /** The latest versions of many rules before one, so many of each. */
    ruleVersions(before: number | null, limit: number): DataLoader<string, RuleVersion[]> {
      return kept(ruleVersions, `${limit}:${before}`, async (ids) => {
        const rows = await findRuleVersions(database, ids, before, limit);
        const byRule = Map.groupBy(rows, (row) => row.ruleId);
        return ids.map((id) => byRule.get(id) ?? []);
      });
    },

    /** The same page of the matches of many rules. */
    ruleMatches(page: { shadow: boolean | null; after: string | null; limit: number }) {
      return kept(ruleMatches, JSON.stringify(page), async (ids) => {
        const byRule = Map.groupBy(await findRuleMatches(database, ids, page), (row) => row.rule_id);
        return ids.map((id) => byRule.get(id) ?? []);
      });
    },

    /** The same page of the deliveries of many webhook endpoints. */
    deliveryPages(page: { state: DeliveryState | null; after: string | null; limit: number }) {
      return kept(deliveryPages, JSON.stringify(page), async (ids) => {
        const byEndpoint = await findDeliveryPages(database, ids, page);
        return ids.map((id) => byEndpoint.get(id) ?? []);
      });
    },

    /** The same page of the checks of many batches. */
    emailChecks(page: CheckPage) {
      return kept(emailChecks, JSON.stringify(page), async (ids) => {
        const byBatch = Map.groupBy(await listChecks(project, ids, page), ({ batchId }) => batchId!);
        return ids.map((id) => byBatch.get(id) ?? []);
      });
    },

    /** The newest attempts of deliveries of webhooks. */
    webhookAttempts: new DataLoader<string, AttemptRow[]>(async (ids) => {
      const byDelivery = await findAttempts(database, ids, LIMITS.pageSize);
      return ids.map((id) => byDelivery.get(id) ?? []);
    }),

    /** Decisions that backtests show; null for one of an account that was erased. */
    sampledDecision: new DataLoader<string, SampledDecision | null>(async (ids) => {
      const byId = new Map((await findSampled(database, ids)).map((row) => [row.decision_id, row]));
      return ids.map((id) => byId.get(id) ?? null);
    }),

    /** How often rules matched since a moment. */
    ruleMatchCounts(since: Date): DataLoader<string, RuleMatchCounts> {
      return kept(ruleMatchCounts, since.toISOString(), async (ids) => {
        const rows = await countRuleMatches(database, ids, since);
        const byRule = new Map(rows.map((row) => [row.rule_id, row]));
        return ids.map((id) => byRule.get(id) ?? { rule_id: id, live: 0, shadow: 0 });
      });
    },

    /** How many accounts are on each of many lists. */
    listMemberCount: new DataLoader<string, number>(async (ids) => {
      const rows = await countMembers(database, ids, clock.now());
      const byList = new Map(rows.map((row) => [row.list_id, row.members]));
      return ids.map((id) => byList.get(id) ?? 0);
    }),

    /** The clients' ids of all accounts on each of many lists. */
    listAccountIds: new DataLoader<string, string[]>(async (ids) => {
      const rows = await findAccountIdsOnLists(database, ids, clock.now());
      const byList = new Map(rows.map((row) => [row.list_id, row.account_ids]));
      return ids.map((id) => byList.get(id) ?? []);
    }),

    /** The lists that rules may not put each of many accounts on. */
    keptOffLists: new DataLoader<string, KeptOffRow[]>(async (ids) => {
      const byAccount = Map.groupBy(await findKeptOff(database, ids), (row) => row.account);
      return ids.map((id) => byAccount.get(id) ?? []);
    }),

    /** The same page of the accounts on many lists. */
    listMembers(after: MemberPosition | null, limit: number): DataLoader<string, ListMemberRow[]> {
      return kept(listMembers, `${limit}:${after}`, async (ids) => {
        const rows = await findMembers(database, ids, after, limit, clock.now());
        const byList = Map.groupBy(rows, (row) => row.list_id);
        return ids.map((id) => byList.get(id) ?? []);
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
