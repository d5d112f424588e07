import { ACCOUNT_VERBS_OPERATIONS } from './account-verbs.ts';
import { ACCOUNTS_OPERATIONS } from './accounts.ts';
import { BACKTESTS_OPERATIONS } from './backtests.ts';
import { DECISIONS_OPERATIONS } from './decisions.ts';
import { EMAIL_CHECKS_OPERATIONS } from './email-checks.ts';
import { EMAIL_IMPORTS_OPERATIONS } from './email-imports.ts';
import { EVENTS_OPERATIONS } from './events.ts';
import { LINKS_OPERATIONS } from './links.ts';
import { LIST_MEMBERS_OPERATIONS } from './list-members.ts';
import { LISTS_OPERATIONS } from './lists.ts';
import type {
  MutationOperation,
  Operation,
  Operations,
  RouteCases,
  SubscriptionBehavior,
} from './operation.ts';
import { PEOPLE_OPERATIONS } from './people.ts';
import { PHONE_OPERATIONS } from './phone.ts';
import { PROJECTS_OPERATIONS } from './projects.ts';
import { REVEALS_OPERATIONS } from './reveals.ts';
import { RULES_OPERATIONS } from './rules.ts';
import { SESSIONS_OPERATIONS } from './sessions.ts';
import { VERIFICATION_REVIEWS_OPERATIONS } from './verification-reviews.ts';
import { VERIFICATIONS_OPERATIONS } from './verifications.ts';
import { WEBHOOKS_OPERATIONS } from './webhooks.ts';

/** Every operation of the schema, in the order in which their behaviors run. */
export const OPERATIONS: Operations = {
  ...SESSIONS_OPERATIONS,
  ...ACCOUNTS_OPERATIONS,
  ...LINKS_OPERATIONS,
  ...DECISIONS_OPERATIONS,
  ...RULES_OPERATIONS,
  ...BACKTESTS_OPERATIONS,
  ...LISTS_OPERATIONS,
  ...LIST_MEMBERS_OPERATIONS,
  ...ACCOUNT_VERBS_OPERATIONS,
  ...EMAIL_CHECKS_OPERATIONS,
  ...EMAIL_IMPORTS_OPERATIONS,
  ...PHONE_OPERATIONS,
  ...VERIFICATIONS_OPERATIONS,
  ...VERIFICATION_REVIEWS_OPERATIONS,
  ...EVENTS_OPERATIONS,
  ...WEBHOOKS_OPERATIONS,
  ...PROJECTS_OPERATIONS,
  ...PEOPLE_OPERATIONS,
  ...REVEALS_OPERATIONS,
};

const namesOf = (kind: 'query' | 'mutation' | 'subscription') =>
  Object.keys(OPERATIONS).flatMap((key) => (key.startsWith(`${kind} `) ? [key.slice(kind.length + 1)] : []));

/** Root fields with an entry. */
export const QUERIES = namesOf('query');
export const MUTATIONS = namesOf('mutation');
export const SUBSCRIPTIONS = namesOf('subscription');

function known<Entry>(entry: Entry | undefined, name: string): Entry {
  if (!entry) throw new Error(`${name} has no entry in test/support/operations`);
  return entry;
}

export const queryOf = (field: string): Operation => known(OPERATIONS[`query ${field}`], `query ${field}`);
export const mutationOf = (field: string): MutationOperation =>
  known(OPERATIONS[`mutation ${field}`], `mutation ${field}`);
export const subscriptionOf = (field: string): { behavior: SubscriptionBehavior } =>
  known(OPERATIONS[`subscription ${field}`], `subscription ${field}`);

/** Cases of REST routes, by method and path. */
export const ROUTE_CASES: Readonly<Record<string, RouteCases>> = Object.assign(
  {},
  ...[...QUERIES.map(queryOf), ...MUTATIONS.map(mutationOf)].map(({ routes }) => routes),
);

export const routeCasesOf = (route: string): RouteCases => known(ROUTE_CASES[route], route);
