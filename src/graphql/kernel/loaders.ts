import type { LinkStrength } from '@vouchgraph/decisions';
import type { StoredEvent } from '@vouchgraph/events';
import type { DeliveryState } from '@vouchgraph/events/webhooks';
import type { Clock } from '@vouchgraph/platform/clock';
import type { KeysetPage } from '@vouchgraph/platform/keyset';
import { LIMITS } from '@vouchgraph/platform/limits';
import DataLoader from 'dataloader';
import type { Account } from '../../domain/accounts/account.ts';
import {
  countAccountsOfDomains,
  readAccounts,
  readLinkStrengths,
} from '../../domain/accounts/account-read-service.ts';
import { countDecisions, listDecisions } from '../../domain/decisions/decision-service.ts';
import type { EventService } from '../../domain/events/event-service.ts';
import {
  countPartsOfGroups,
  type IdentityChangeRow,
  type IdentityGroupRow,
  type IdentityMemberRow,
  listGroupChanges,
  listGroupMembers,
  readGroupsOfAccounts,
  readIdentityGroups,
  readRenamedGroups,
} from '../../domain/linking/identity-group-service.ts';
import type { LinkFilter, LinkPage } from '../../domain/linking/link-page.ts';
import {
  comparePairs,
  countLinks,
  type LinkRow,
  listLinks,
  type PairComparison,
  type PairKey,
  readLinks,
} from '../../domain/linking/link-read-service.ts';
import { type PhoneHistory, readPhoneHistories } from '../../domain/phone/phone-service.ts';
import type { Viewer } from '../../domain/projects/access-service.ts';
import type { Session } from '../../domain/sessions/session.ts';
import {
  countSessionsOfAccounts,
  listSessionsOfAccounts,
  readAccountIdsOfSessions,
  readSessions,
  type SessionFilter,
  type SessionSearch,
} from '../../domain/sessions/session-read-service.ts';
import {
  countDeliveriesOf,
  type DeliveryQuery,
  listDeliveries,
  readBodies,
} from '../../domain/webhooks/delivery-read-service.ts';
import { emailCheckLoaders, verificationLoaders } from './check-loaders.ts';
import { kept, keysetKey, pageLoaders } from './kept-loader.ts';
import { operatorLoaders } from './operator-loaders.ts';
import { outcomeLoaders } from './outcome-loaders.ts';

/** Objects are counted up to this number: one more than a total shows. */
const COUNTED = LIMITS.countedObjects + 1;

type Services = { clock: Clock; events: EventService };

/** Each part is created when one of its loaders is first read: most requests read two or three of all loaders. */
const PARTS = [
  (viewer: Viewer, { clock }: Services) => accountLoaders(viewer, clock),
  (viewer: Viewer) => linkLoaders(viewer),
  (viewer: Viewer, { clock }: Services) => operatorLoaders(viewer, clock),
  (viewer: Viewer) => deliveryLoaders(viewer),
  (viewer: Viewer, { events }: Services) => eventLoaders(viewer, events),
  (viewer: Viewer) => verificationLoaders(viewer),
  (viewer: Viewer) => emailCheckLoaders(viewer),
  (viewer: Viewer, { clock }: Services) => outcomeLoaders(viewer, clock),
] as const;

type All<Types> = (Types extends unknown ? (of: Types) => void : never) extends (of: infer Every) => void
  ? Every
  : never;
export type Loaders = All<ReturnType<(typeof PARTS)[number]>>;

type LazyLoaders = { viewer: Viewer; services: Services; parts: (Record<string, unknown> | undefined)[] };
let prototype: object | undefined;

/** Look-ups of one request: one statement reads all objects of one level of a query. */
export function createLoaders(viewer: Viewer, services: Services): Loaders {
  prototype ??= createPrototype(viewer, services);
  const lazy: LazyLoaders = Object.assign(Object.create(prototype), { viewer, services, parts: [] });
  return lazy as unknown as Loaders;
}

/** A property for each loader; the names are those of a first set of loaders. */
function createPrototype(viewer: Viewer, services: Services): object {
  const getters: Record<string, PropertyDescriptor> = {};
  PARTS.forEach((part, index) => {
    for (const name of Object.keys(part(viewer, services))) {
      getters[name] = {
        get(this: LazyLoaders) {
          this.parts[index] ??= part(this.viewer, this.services);
          return this.parts[index][name];
        },
      };
    }
  });
  return Object.create(null, getters);
}

function eventLoaders(viewer: Viewer, events: EventService) {
  return { event: new DataLoader<string, StoredEvent | null>(async (ids) => events.findMany(viewer, ids)) };
}

/** Accounts, their sessions and decisions, and the numbers that describe their identifiers. */
function accountLoaders(viewer: Viewer, clock: Clock) {
  const sessions = new Map<string, DataLoader<string, Session[]>>();
  const sessionCounts = new Map<string, DataLoader<string, number>>();
  return {
    account: new DataLoader<string, Account | null>(async (ids) => readAccounts(viewer, ids)),

    session: new DataLoader<string, Session | null>(async (ids) => readSessions(viewer, ids)),

    /** Ids of the accounts of sessions, assigned by the client. */
    accountIdsOfSession: new DataLoader<string, string[]>(async (ids) =>
      readAccountIdsOfSessions(viewer, ids),
    ),

    /** Number of accounts with an address of each domain. */
    accountsFromDomain: new DataLoader<string, number>(async (domains) =>
      countAccountsOfDomains(viewer, domains),
    ),

    linkStrength: new DataLoader<string, LinkStrength>(async (ids) => readLinkStrengths(viewer, ids)),

    /** History of phone numbers in the project, by their match keys. */
    phoneHistory: new DataLoader<string, PhoneHistory>(async (keys) =>
      readPhoneHistories(viewer, keys, clock.now()),
    ),

    /** The same page of the sessions of several accounts. */
    sessionPage(search: SessionSearch): DataLoader<string, Session[]> {
      const key = JSON.stringify({ ...search, page: keysetKey(search.page) });
      return kept(sessions, key, (ids) => listSessionsOfAccounts(viewer, ids, search));
    },

    /** Number of sessions of accounts. */
    sessionCount(filter: SessionFilter): DataLoader<string, number> {
      return kept(sessionCounts, JSON.stringify(filter), (ids) =>
        countSessionsOfAccounts(viewer, ids, filter, COUNTED),
      );
    },

    /** The same page of the decisions on several accounts. */
    decisions: pageLoaders((ids, page: KeysetPage) => listDecisions(viewer, ids, page)),

    /** Number of decisions on accounts. */
    decisionCount: new DataLoader<string, number>(async (ids) => countDecisions(viewer, ids, COUNTED)),
  };
}

/** Links of accounts and the groups that they form. */
function linkLoaders(viewer: Viewer) {
  const identityChanges = new Map<string, DataLoader<string, IdentityChangeRow[]>>();
  const identityMembers = new Map<string, DataLoader<string, IdentityMemberRow[]>>();
  const linkPages = new Map<string, DataLoader<string, LinkRow[]>>();
  const linkCounts = new Map<string, DataLoader<string, number>>();
  return {
    /** Shared identifiers of pairs of accounts. */
    pairEvidence: new DataLoader<PairKey, PairComparison, string>(
      async (pairs) => comparePairs(viewer, pairs),
      { cacheKeyFn: ({ a, b }) => `${a} ${b}` },
    ),

    /** Identity groups of accounts; null for an account without a group. */
    identityGroup: new DataLoader<string, IdentityGroupRow | null>(async (ids) =>
      readGroupsOfAccounts(viewer, ids),
    ),

    /** Identity groups by their own ids. */
    identityGroupById: new DataLoader<string, IdentityGroupRow | null>(async (ids) =>
      readIdentityGroups(viewer, ids),
    ),

    /** Identity groups by their own ids, or by those of groups that were merged into them. */
    renamedIdentityGroup: new DataLoader<string, IdentityGroupRow | null>(async (ids) =>
      readRenamedGroups(viewer, ids),
    ),

    /** The same page of the changes of several identity groups. */
    identityChanges(page: KeysetPage): DataLoader<string, IdentityChangeRow[]> {
      return kept(identityChanges, keysetKey(page), (ids) => listGroupChanges(viewer, ids, page));
    },

    /** The same page of the accounts of several identity groups. */
    identityMembers(page: KeysetPage): DataLoader<string, IdentityMemberRow[]> {
      return kept(identityMembers, keysetKey(page), (ids) => listGroupMembers(viewer, ids, page));
    },

    /** Number of changes of identity groups. */
    identityChangeCount: new DataLoader<string, number>(async (ids) =>
      countPartsOfGroups(viewer, 'changes', ids, COUNTED),
    ),

    /** Number of accounts of identity groups. */
    identityMemberCount: new DataLoader<string, number>(async (ids) =>
      countPartsOfGroups(viewer, 'members', ids, COUNTED),
    ),

    /** The same page of the links of several accounts. */
    linkPage(page: LinkPage): DataLoader<string, LinkRow[]> {
      const { order, direction, kinds, minScore } = page;
      const key = JSON.stringify([order, direction, kinds, minScore, keysetKey(page.page)]);
      return kept(linkPages, key, (ids) => listLinks(viewer, ids, page));
    },

    /** Links of pairs of accounts; null for a pair without a link. */
    link: new DataLoader<PairKey, LinkRow | null, string>(async (pairs) => readLinks(viewer, pairs), {
      cacheKeyFn: ({ a, b }) => `${a} ${b}`,
    }),

    /** Number of links of accounts. */
    linkCount({ kinds, minScore }: LinkFilter): DataLoader<string, number> {
      return kept(linkCounts, `${kinds}:${minScore}`, (ids) =>
        countLinks(viewer, ids, { kinds, minScore }, COUNTED),
      );
    },
  };
}

/** Webhooks. */
function deliveryLoaders(viewer: Viewer) {
  const deliveryCounts = new Map<string, DataLoader<string, number>>();
  return {
    /** The same page of the deliveries of several webhook endpoints. */
    deliveryPages: pageLoaders(
      (ids, { query, ...page }: { state: DeliveryState | null; page: KeysetPage; query: DeliveryQuery }) =>
        listDeliveries(viewer, ids, page, query),
    ),

    /** Numbers of deliveries of webhook endpoints, up to a limit. */
    deliveryCounts(state: DeliveryState | null, limit: number) {
      return kept(deliveryCounts, `${limit}:${state}`, (ids) => countDeliveriesOf(viewer, ids, state, limit));
    },

    /** Bodies of deliveries; null for those whose event was erased. */
    webhookBody: new DataLoader<string, string | null>(async (ids) => readBodies(viewer, ids)),
  };
}
