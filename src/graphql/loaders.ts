import DataLoader from 'dataloader';
import type { Account } from '../domain/accounts/account.ts';
import {
  countAccountsOfDomains,
  readAccounts,
  readLinkStrengths,
} from '../domain/accounts/account-read-service.ts';
import type { LinkStrength } from '../domain/decisions/account-score.ts';
import { type DecisionRow, listDecisions } from '../domain/decisions/decision-service.ts';
import type { EmailCheck } from '../domain/email-checks/email-check.ts';
import { type CheckPage, listChecksOfBatches } from '../domain/email-checks/email-check-service.ts';
import {
  type IdentityChangeRow,
  type IdentityGroupRow,
  type IdentityMemberRow,
  listGroupChanges,
  listGroupMembers,
  readGroupsOfAccounts,
} from '../domain/linking/identity-group-service.ts';
import type { LinkPage } from '../domain/linking/link-page.ts';
import {
  comparePairs,
  type LinkRow,
  listLinks,
  type PairComparison,
  type PairKey,
} from '../domain/linking/link-read-service.ts';
import { type PhoneHistory, readPhoneHistories } from '../domain/phone/phone-service.ts';
import type { Viewer } from '../domain/projects/access-service.ts';
import type { Session } from '../domain/sessions/session.ts';
import { readSessions } from '../domain/sessions/session-read-service.ts';
import { type AttemptRow, listAttempts, listDeliveries } from '../domain/webhooks/delivery-read-service.ts';
import type { Delivery, DeliveryState } from '../domain/webhooks/endpoint.ts';
import type { Clock } from '../platform/clock.ts';
import { LIMITS } from '../platform/limits.ts';
import { kept } from './loader-cache.ts';
import { operatorLoaders } from './operator-loaders.ts';

export type LinkPageKey = LinkPage & { first: number };
export type Loaders = ReturnType<typeof createLoaders>;

/** Look-ups of one request: everything that one level of a query asks for is read in one statement. */
export function createLoaders(viewer: Viewer, clock: Clock) {
  return {
    ...accountLoaders(viewer, clock),
    ...linkLoaders(viewer),
    ...operatorLoaders(viewer, clock),
    ...deliveryLoaders(viewer),
  };
}

/** Accounts, their sessions and decisions, and the numbers that describe their identifiers. */
function accountLoaders(viewer: Viewer, clock: Clock) {
  const decisions = new Map<string, DataLoader<string, DecisionRow[]>>();
  return {
    account: new DataLoader<string, Account | null>(async (ids) => readAccounts(viewer, ids)),

    session: new DataLoader<string, Session | null>(async (ids) => readSessions(viewer, ids)),

    /** Number of accounts with an address of each domain. */
    accountsFromDomain: new DataLoader<string, number>(async (domains) =>
      countAccountsOfDomains(viewer, domains),
    ),

    linkStrength: new DataLoader<string, LinkStrength>(async (ids) => readLinkStrengths(viewer, ids)),

    /** What the project stored of phone numbers before, by their match keys. */
    phoneHistory: new DataLoader<string, PhoneHistory>(async (keys) =>
      readPhoneHistories(viewer, keys, clock.now()),
    ),

    /** The latest decisions on several accounts before one. */
    decisions(before: string, limit: number): DataLoader<string, DecisionRow[]> {
      return kept(decisions, `${limit}:${before}`, (ids) => listDecisions(viewer, ids, { before, limit }));
    },
  };
}

/** Links of accounts and the groups that they form. */
function linkLoaders(viewer: Viewer) {
  const identityChanges = new Map<string, DataLoader<string, IdentityChangeRow[]>>();
  const identityMembers = new Map<string, DataLoader<string, IdentityMemberRow[]>>();
  const linkPages = new Map<string, DataLoader<string, LinkRow[]>>();
  return {
    /** What pairs of accounts share. */
    pairEvidence: new DataLoader<PairKey, PairComparison, string>(
      async (pairs) => comparePairs(viewer, pairs),
      { cacheKeyFn: ({ a, b }) => `${a} ${b}` },
    ),

    /** Identity groups of accounts; null for an account without a group. */
    identityGroup: new DataLoader<string, IdentityGroupRow | null>(async (ids) =>
      readGroupsOfAccounts(viewer, ids),
    ),

    /** The latest changes of identity groups. */
    identityChanges(first: number): DataLoader<string, IdentityChangeRow[]> {
      return kept(identityChanges, String(first), (ids) => listGroupChanges(viewer, ids, first));
    },

    /** The same page of the accounts of several identity groups. */
    identityMembers(after: string | null, limit: number): DataLoader<string, IdentityMemberRow[]> {
      return kept(identityMembers, `${limit}:${after}`, (ids) => listGroupMembers(viewer, ids, after, limit));
    },

    /** The same page of the links of several accounts. */
    linkPage(page: LinkPageKey): DataLoader<string, LinkRow[]> {
      const { first, order, value, id, kinds, minScore } = page;
      const key = [first, order, value, id, kinds, minScore].join();
      return kept(linkPages, key, (ids) => listLinks(viewer, ids, page, first + 1));
    },
  };
}

/** Webhooks and email checks. */
function deliveryLoaders(viewer: Viewer) {
  const deliveryPages = new Map<string, DataLoader<string, Delivery[]>>();
  const emailChecks = new Map<string, DataLoader<string, EmailCheck[]>>();
  return {
    /** The same page of the deliveries of several webhook endpoints. */
    deliveryPages(page: { state: DeliveryState | null; after: string | null; limit: number }) {
      return kept(deliveryPages, JSON.stringify(page), (ids) => listDeliveries(viewer, ids, page));
    },

    /** The newest attempts of deliveries of webhooks. */
    webhookAttempts: new DataLoader<string, AttemptRow[]>(async (ids) =>
      listAttempts(viewer, ids, LIMITS.pageSize),
    ),

    /** The same page of the checks of several batches. */
    emailChecks(page: CheckPage) {
      return kept(emailChecks, JSON.stringify(page), (ids) => listChecksOfBatches(viewer, ids, page));
    },
  };
}
