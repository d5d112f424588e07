import { isDeepStrictEqual } from 'node:util';
import {
  ACCOUNT_WEIGHTS_VERSION,
  conclude,
  encryptDecision,
  mergeExpectedCountries,
  mergePersonal,
  outcomeOf,
  parseAggregates,
  type RuleReference,
  type RuleSet,
  ruleOutcomeOf,
} from '@vouchgraph/decisions';
import { EMAIL_WEIGHTS_VERSION } from '@vouchgraph/email';
import {
  IDENTIFIER_KINDS,
  LINK_WEIGHTS_VERSION,
  mergeIdentifiers,
  packBlockingKeys,
  planLinks,
  sessionIdentifiers,
  sharedIdentifierChanges,
} from '@vouchgraph/linking';
import { NO_PERSONAL_FIELDS } from '@vouchgraph/persons';
import { newId } from '@vouchgraph/platform/ids';
import { LIMITS } from '@vouchgraph/platform/limits';
import type { AccountRow } from '../model/account-row.ts';
import { decryptPersonal } from '../model/decrypt-personal.ts';
import { Account } from './account.ts';
import type { AccountChange } from './account-change.ts';
import type { ChangeEventInput } from './account-events.ts';
import { type AccountStanding, standingOf } from './account-standing.ts';
import { type ChangeRequest, mergeContext, type RequestedChangeContext } from './change-request.ts';
import { afterSession, aggregatesAfter, newAccountRow, recentCounts, vectorOf } from './plan-account-row.ts';
import { inputsOf, listsAfterRules, matchesOf } from './plan-decision.ts';
import { changesBlock, isOtherEmail, isOtherKnowledge, knownEmail } from './plan-email.ts';
import {
  changedIdentifiers,
  personsOfPlan,
  recomputedIdentifiers,
  replacedKinds,
  strengthOf,
} from './plan-identifiers.ts';
import { listWrites } from './plan-list-writes.ts';
import { byName, joinLists, listChanges, pendingLists } from './plan-lists.ts';
import { comparedSession, rewrittenResult } from './plan-session.ts';

/** A planned change: its result, and everything to write. */
export type ChangePlan = ReturnType<typeof planChange>;

/** Plans a change of an account from the stored state, with its decision by the current rules. */
export function planChange(request: ChangeRequest, context: RequestedChangeContext, rules: RuleSet) {
  const { project, requestId, changes, now, options } = request;
  const { relinks = false } = options;
  const linking = planLinking(request, context);
  const { before, session, identifiers, dropped, isOverLimit, groupMoved, recomputed, links, strength } =
    linking;
  const planned = planAccount(request, context, linking);
  const decided = planDecision(request, context, linking, planned, rules);
  const { account, decision, accountScore, decisionId, outcome, conclusion, changed } = decided;
  const change: Omit<AccountChange, 'events'> = {
    account: account.row,
    requestId,
    now,
    binding: planBinding(request, context, linking, decided, rules),
    matches: conclusion ? matchesOf(project, account, { session, now }, conclusion) : [],
    identifiers: {
      ...changedIdentifiers(identifiers, context.mine, dropped),
      ...{ dropped, isOverLimit, groupMoved, blockingKeys: packBlockingKeys(identifiers) },
    },
    recomputed: recomputed && { holdsStale: recomputed.holdsStale, updatedAt: before.updated_at },
    links,
    lists: listWrites(request, account, session, changed, context),
    standing: { ...standingAfter(linking, decided), settingsVersion: project.settingsVersion },
  };
  return {
    result: {
      account,
      links: strength,
      session,
      decision,
      accountScore,
      decided: outcome && { decisionId, ...outcome },
    },
    eventInput: {
      ...{ session, links, strength, now },
      relinks: relinks || (options.learned !== undefined && !changesBlock(account, before)),
    } satisfies ChangeEventInput,
    learns: options.learned !== undefined && isOtherKnowledge(account, before),
    newEmail: relinks || !isOtherEmail(project, context.account, changes) ? '' : linking.personal.email,
    sharing: sharedIdentifierChanges(
      groupMoved ? [] : context.mine,
      identifiers,
      context.matches,
      context.mailboxes,
    ),
    left: groupMoved ? { group: before.account_group, identifiers: context.mine } : null,
    change,
  };
}

type PlannedLinking = ReturnType<typeof planLinking>;

/** The fields, identifiers and links of the account after the change. */
function planLinking(request: ChangeRequest, context: RequestedChangeContext) {
  const { project, accountId, changes, now, options } = request;
  const expectedCountries = mergeExpectedCountries(context.account?.expected_countries ?? [], changes);
  const compared = comparedSession(project, context, expectedCountries);
  const session = compared?.session ?? null;
  const seen = session?.row.start_time ?? now;
  const before = context.account ?? newAccountRow(accountId, now);
  const stored = context.account && decryptPersonal(project, context.account);
  const personal = mergePersonal(stored ?? NO_PERSONAL_FIELDS, changes, mergeContext(project, options));
  const current = [...context.requested, ...(session ? sessionIdentifiers(session.row) : [])];
  const isCounted = session === null || context.boundScores === null;
  const recomputed = recomputedIdentifiers(options, context, current);
  const { identifiers, dropped, isOverLimit } =
    recomputed ??
    mergeIdentifiers(
      context.mine,
      current,
      replacedKinds(project, context, { personal, expectedCountries }, request),
      seen,
      isCounted,
    );
  const group = changes.group ?? before.account_group;
  const groupMoved = context.account !== null && group !== before.account_group;
  const persons = personsOfPlan(project, personal, identifiers, context.persons);
  const links = planLinks(
    identifiers,
    context.matches,
    context.links,
    groupMoved,
    context.mailboxes,
    persons,
  );
  return {
    ...{
      before,
      expectedCountries,
      session,
      storedSession: compared?.stored ?? null,
      seen,
      personal,
      isPersonalChanged: !isDeepStrictEqual(personal, stored),
      recomputed,
      identifiers,
      dropped,
      isOverLimit,
    },
    ...{ group, groupMoved, links, strength: strengthOf(links) },
  };
}

type PlannedAccount = ReturnType<typeof planAccount>;

/** The account after the change, before rules change its lists. */
function planAccount(request: ChangeRequest, context: RequestedChangeContext, linking: PlannedLinking) {
  const { project, actor, now, options } = request;
  const { before, session, identifiers, personal, strength } = linking;
  const by = { source: options.imports ? ('import' as const) : ('api' as const), actor };
  const waited = pendingLists(project.cipher, before.account_id, context.pendingMembership, now);
  const joined = joinLists([...before.lists, ...waited], context.lists, options.listNames, by);
  const row: AccountRow = {
    ...before,
    account_group: linking.group,
    personal: linking.isPersonalChanged
      ? project.cipher.encryptJson('accounts', before.id, personal)
      : before.personal,
    expected_countries: linking.expectedCountries,
    lists: byName(joined),
    updated_at: now,
    aggregates: options.relinks
      ? before.aggregates
      : {
          ...aggregatesAfter(before, session, context.boundScores),
          email: knownEmail(request, linking, context),
        },
    ...(session
      ? afterSession(before, session, context.boundScores, identifiers)
      : before.last_seen && recentCounts(identifiers, before.last_seen)),
  };
  const hasDomain = identifiers.some(({ kind }) => kind === IDENTIFIER_KINDS.email_domain);
  const accountsFromDomain = hasDomain
    ? Math.min(context.othersFromDomain + 1, LIMITS.accountsFromDomain)
    : 0;
  const known = { links: strength, personal, accountsFromDomain };
  return { row, known, unruled: new Account(project, row, known) };
}

type PlannedDecision = ReturnType<typeof planDecision>;

/** The decision on the session by the rules, or on the account by its scores, and the resulting lists. */
function planDecision(
  { project, now, options }: ChangeRequest,
  context: RequestedChangeContext,
  { before, session, strength, identifiers }: PlannedLinking,
  { row, known, unruled }: PlannedAccount,
  rules: RuleSet,
) {
  const { accountsFromDomain } = known;
  const inputs =
    session &&
    inputsOf(
      unruled,
      {
        ...{ session, strength, accountsFromDomain, identifiers },
        verification: options.verification ?? null,
        verifiedAt: options.verifiedAt ?? null,
        required: parseAggregates(before.aggregates).ruleOutcome?.required,
      },
      context,
      rules,
      options.listNames,
    );
  const conclusion = inputs && conclude(inputs, rules);
  const ruled = conclusion && listsAfterRules(row.lists, context.lists, conclusion);
  const aggregates = conclusion && {
    ...unruled.aggregates,
    ruleOutcome: ruleOutcomeOf(conclusion.demands, now),
  };
  const account = ruled
    ? new Account(project, { ...row, lists: byName(ruled), aggregates: aggregates! }, known)
    : unruled;
  const trace = conclusion?.trace ?? account.decisionTrace(strength);
  const ruleOfList: ReadonlyMap<string, RuleReference> = conclusion?.applied.ruleOfList ?? new Map();
  const changed = listChanges(before.lists, account.row.lists, (name) => ruleOfList.get(name)?.name);
  const { decision, score: accountScore } = trace;
  const decisionId = newId(now.getTime());
  const outcome = conclusion && outcomeOf(conclusion);
  return { account, inputs, conclusion, outcome, changed, decision, accountScore, decisionId };
}

/** Score and decision as computed by a read. A recomputation of match keys keeps the update time. */
function standingAfter(
  { before, recomputed, personal, strength }: PlannedLinking,
  { account, decision, accountScore }: PlannedDecision,
): AccountStanding {
  if (!recomputed) return { score: accountScore, decision };
  const row = { ...account.row, updated_at: before.updated_at };
  return standingOf(new Account(account.project, row, { personal }), strength);
}

/** The binding of the session with its decision; null for a change without a session. */
function planBinding(
  { project }: ChangeRequest,
  context: RequestedChangeContext,
  { session, storedSession }: PlannedLinking,
  { decision, accountScore, decisionId, inputs, outcome }: PlannedDecision,
  rules: RuleSet,
): AccountChange['binding'] {
  return (
    session && {
      sessionId: session.sessionId,
      startTime: session.row.start_time,
      country: session.result.trueCountryCode,
      scores: vectorOf(session),
      accountScore,
      decision,
      versions: {
        signals: session.result.weightsVersion,
        links: LINK_WEIGHTS_VERSION,
        account: ACCOUNT_WEIGHTS_VERSION,
        email: EMAIL_WEIGHTS_VERSION,
        thresholds: project.settings.thresholdsVersion,
        rules: rules.version,
      },
      isNew: context.boundScores === null,
      referringSessionId: context.referringSessionId,
      rewrittenResult: rewrittenResult(project, session, storedSession!),
      decisionId,
      isFirstSession: inputs!.facts['session.is_first'] === true,
      encryptedInputs: encryptDecision(project.cipher, decisionId, inputs!, outcome!),
    }
  );
}
