import {
  type Conclusion,
  type DecidingList,
  type DecisionInputs,
  factsOf,
  type LinkStrength,
  type RequiredVerification,
  type RuleSet,
  stillRequired,
} from '@vouchgraph/decisions';
import type { AccountIdentifier } from '@vouchgraph/linking';
import { newId } from '@vouchgraph/platform/ids';
import type { Facts } from '@vouchgraph/rules';
import type { ListMembership } from '../model/account-row.ts';
import type { Project } from '../projects/project.ts';
import type { Session } from '../sessions/session.ts';
import type { Account } from './account.ts';
import type { AccountChange } from './account-change.ts';
import { ruleEventsOf } from './account-events.ts';
import type { RequestedChangeContext } from './change-request.ts';

/** Inputs of the decision on a session, without the rules. */
export function inputsOf(
  account: Account,
  {
    session,
    strength,
    accountsFromDomain,
    identifiers,
    verification,
    verifiedAt,
    required,
  }: {
    session: Session;
    strength: LinkStrength;
    accountsFromDomain: number;
    identifiers: readonly AccountIdentifier[];
    verification: Facts | null;
    /** Completion time of the verification. */
    verifiedAt: Date | null;
    /** Verification that an earlier decision requires. */
    required: RequiredVerification | undefined;
  },
  { velocity, lists, actedRules, keptOff: allKeptOff }: RequestedChangeContext,
  { rules, listNames, metadataFields }: RuleSet,
  /** Names of lists in the request. */
  lifted: readonly string[],
): DecisionInputs {
  const { suspiciousFrom, fakeFrom } = account.project.settings;
  const acted = actedRules.filter((id) => rules.some(({ rule }) => rule.ruleId === id)).sort();
  const keptOff = allKeptOff.filter((name) => listNames.includes(name) && !lifted.includes(name)).sort();
  const bound = {
    ...{ account, links: strength, accountsFromDomain, held: identifiers, velocity: velocity! },
    isFirstSession: account.row.num_sessions === 1,
  };
  const check = { kind: verification?.['verification.kind'], completedAt: verifiedAt };
  const open = stillRequired(required, rules, check);
  return {
    facts: factsOf({ session, bound, verification }, metadataFields),
    parts: account.scoreParts(strength),
    thresholds: { suspiciousFrom, fakeFrom },
    lists: account.decidingLists,
    known: lists.filter(({ name }) => listNames.includes(name)).map(toDecidingList),
    ...(acted.length === 0 ? {} : { acted }),
    ...(keptOff.length === 0 ? {} : { keptOff }),
    ...(open ? { required: open } : {}),
  };
}

function toDecidingList({ name, effect, source, actor, reason = '' }: ListMembership): DecidingList {
  return { name, effect, source, actor, reason };
}

/** The account's lists after the rules. */
export function listsAfterRules(
  before: readonly ListMembership[],
  known: readonly ListMembership[],
  { applied }: Conclusion,
): ListMembership[] {
  const current = new Map(before.map((list) => [list.name, list]));
  const knownByName = new Map(known.map((list) => [list.name, list]));
  return applied.lists.flatMap(({ name, source, actor, reason }) => {
    const own = current.get(name);
    const list = own ?? knownByName.get(name);
    return list ? [own ?? { ...list, source, actor, reason }] : [];
  });
}

/** Matched rules with their events. Shadow rules emit no events. */
export function matchesOf(
  project: Project,
  account: Account,
  context: { session: Session | null; now: Date },
  { applied, shadow }: Conclusion,
): AccountChange['matches'] {
  const matchId = () => newId(context.now.getTime());
  return [
    // A repeated match is already recorded, and its events were emitted.
    ...applied.matched
      .filter(({ isRepeat }) => !isRepeat)
      .map((match) => ({
        matchId: matchId(),
        rule: match.rule,
        isShadow: false,
        outcomes: match.outcomes,
        events: ruleEventsOf(project, account, context, match),
      })),
    ...shadow.map((match) => ({ ...match, matchId: matchId(), isShadow: true, events: [] })),
  ];
}
