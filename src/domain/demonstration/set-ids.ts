import { newId } from '@vouchgraph/platform/ids';
import type { DemonstrationPlan } from './plan/plan.ts';

/**
 * Ids of all objects of a set, by their keys in the plan. They are stored before the first object is created, so that an interrupted
 * set is continued or removed without a search, also by a version with another plan.
 */
export type SetIds = {
  /** Part of account ids and email addresses: it separates the set from other accounts of the project. */
  readonly suffix: string;
  /** Ids of accounts, assigned by the client. */
  readonly accounts: Readonly<Record<string, string>>;
  readonly lists: Readonly<Record<string, string>>;
  readonly rules: Readonly<Record<string, string>>;
  readonly endpoint: string;
  /** Sessions in the order of the visits, each with the key of its account. */
  readonly visits: readonly { readonly session: string; readonly account: string }[];
  /** Email checks, by the keys of their accounts. */
  readonly emailChecks: Readonly<Record<string, string>>;
  /** Sessions of verifications. */
  readonly verifications: Readonly<Record<string, string>>;
};

const SUFFIX_LENGTH = 6;

/** Chooses the ids of a new set. */
export function newSetIds(plan: DemonstrationPlan, now: Date): SetIds {
  const next = () => newId(now.getTime());
  // The random end of an id.
  const suffix = next().slice(-SUFFIX_LENGTH);
  const idsOf = (parts: readonly { readonly key: string }[], idOf: (key: string) => string) =>
    Object.fromEntries(parts.map(({ key }) => [key, idOf(key)]));
  return {
    suffix,
    accounts: idsOf(plan.accounts, (key) => `demo-${key}-${suffix}`),
    lists: idsOf(plan.lists, next),
    rules: idsOf(plan.rules, next),
    endpoint: next(),
    visits: plan.visits.map(({ account }) => ({ session: next(), account })),
    emailChecks: Object.fromEntries(plan.emailChecks.map((key) => [key, next()])),
    verifications: idsOf(plan.verifications, next),
  };
}
