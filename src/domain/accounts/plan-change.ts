import { newId } from '../../platform/ids.ts';
import { LIMITS } from '../../platform/limits.ts';
import { accountMark } from '../audit/account-mark.ts';
import type { AuditEntry } from '../audit/audit-store.ts';
import { ACCOUNT_WEIGHTS_VERSION, type LinkStrength, linkStrength } from '../decisions/account-score.ts';
import { type Conclusion, conclude, outcomeOf } from '../decisions/conclude.ts';
import type { DecidingList, Decision } from '../decisions/decide.ts';
import { factsOf } from '../decisions/decision-facts.ts';
import { type DecisionInputs, type DecisionOutcome, sealDecision } from '../decisions/decision-inputs.ts';
import { parseEmail } from '../email/email-address.ts';
import { EMAIL_WEIGHTS_VERSION } from '../email/email-weights.ts';
import { identifierKey } from '../identifiers/identifier-key.ts';
import { IDENTIFIER_KINDS, isCountingKind, kindOfNumber } from '../identifiers/identifier-kinds.ts';
import { type IdentifierKey, sessionIdentifiers } from '../linking/account-identifiers.ts';
import { crowdChanges } from '../linking/crowd-changes.ts';
import { knownPerson } from '../linking/known-person.ts';
import { LINK_WEIGHTS_VERSION, repeats } from '../linking/link-weights.ts';
import {
  type HeldIdentifier,
  holdIdentifiers,
  type LinkPlan,
  type PersonsOfPlan,
  planLinks,
  rekeyIdentifiers,
} from '../linking/plan-links.ts';
import { type PersonRow, personOfFields, readPersons } from '../linking/read-persons.ts';
import { countRecent } from '../linking/recent-identifiers.ts';
import { encryptReason } from '../lists/member-reason.ts';
import type { AccountRow, ListMembership } from '../model/account-row.ts';
import type { DocumentIdentity } from '../model/document-identity.ts';
import { NO_PERSONAL_FIELDS, openPersonal, type PersonalFields } from '../model/personal-fields.ts';
import type { Project } from '../projects/project.ts';
import { RULE_LANGUAGE_VERSION } from '../rules/language/evaluate-expression.ts';
import type { Facts } from '../rules/language/expression.ts';
import type { RuleReference } from '../rules/rule.ts';
import type { RuleSet } from '../rules/rule-set.ts';
import { Session } from '../sessions/session.ts';
import { compareWithPast, openTrace } from '../sessions/session-history.ts';
import { withHistory } from '../sessions/session-result.ts';
import { Account } from './account.ts';
import type { ChangeContext } from './account-change-store.ts';
import { joinedEventsOf, leftEventOf, ruleEventsOf, type ToldChange } from './account-events.ts';
import type { AccountChanges } from './account-input.ts';
import type { ListWrites } from './account-lists-store.ts';
import type { AccountChange } from './account-write-store.ts';
import { type Aggregates, addSession, type KnownEmail, parseAggregates, scoreVector } from './aggregates.ts';
import { type EmailAnswers, type EmailEvidenceFound, withFound } from './known-email.ts';
import {
  changedKinds,
  type MergeContext,
  mergeExpectedCountries,
  mergePersonal,
  statedKinds,
  statesPersonal,
} from './merge-account.ts';
import { joinLists, listChanges } from './plan-lists.ts';

/** An account after a change, with what the answer of that change shows. */
export type ChangedAccount = {
  account: Account;
  links: LinkStrength;
  decision: Decision;
  accountScore: number;
  /** Of an authenticate: the stored decision. */
  decided: ({ decisionId: string } & DecisionOutcome) | null;
};

/** What a change depends on, with the identifiers that the request states, and the lists that were looked for. */
export type StatedChangeContext = ChangeContext & {
  readonly stated: readonly IdentifierKey[];
  readonly namedLists: readonly string[];
  /** Those that the request created. */
  readonly createdLists: readonly string[];
};

export type ChangeOptions = {
  sessionId: string | null;
  listNames: readonly string[];
  /** Whether it comes from another system: an account that is not known is made. */
  imports?: boolean;
  /** Whether only the links are made anew. */
  relinks?: boolean;
  /** Whether the session is one that the account is bound to already. */
  rebinds?: boolean;
  /**
   * Whether the identifiers of its fields are made anew: `add` keeps those that earlier rules made, `settle` drops them.
   * Only together with `relinks`.
   */
  rekeys?: 'add' | 'settle';
  /** What a verification found: for the rules, by the names of their fields. */
  verification?: Facts;
  /** What the document of that verification says of its holder. */
  document?: DocumentIdentity | null;
  /** What look-ups found of the account's email after its change; nothing else changes then. */
  learnt?: EmailEvidenceFound;
};

/** A change as it was asked for, by whom, and when. */
export type ChangeRequest = {
  project: Project;
  actor: string;
  requestId: string;
  accountId: string;
  changes: AccountChanges;
  options: ChangeOptions;
  now: Date;
  answers: EmailAnswers;
};

/** What a change does: its answer, and all that is to be written. */
export type ChangePlan = ReturnType<typeof planChange>;

/** Works out a change of an account from what is stored, and its decision by the rules of now. */
export function planChange(request: ChangeRequest, context: StatedChangeContext, rules: RuleSet) {
  const { project, actor, requestId, accountId, changes, now, options } = request;
  const { listNames, relinks = false } = options;
  const expectedCountries = mergeExpectedCountries(context.account?.expected_countries ?? [], changes);
  const session = comparedSession(project, context, expectedCountries);
  const seen = session?.row.start_time ?? now;
  const before = context.account ?? newAccountRow(accountId, now);
  const personal = mergePersonal(
    context.account ? openPersonal(project, context.account) : NO_PERSONAL_FIELDS,
    changes,
    mergeContext(project, options),
  );

  const current = [...context.stated, ...(session ? sessionIdentifiers(session.row) : [])];
  const isCounted = session === null || context.boundScores === null;
  const rekeyed = rekeyedOf(options, context, current);
  const { held, dropped, isOverLimit } =
    rekeyed ??
    holdIdentifiers(
      context.mine,
      current,
      replacedKinds(project, context, { personal, expectedCountries }, request),
      seen,
      isCounted,
    );
  const group = changes.group ?? before.account_group;
  const groupMoved = context.account !== null && group !== before.account_group;
  const persons = personsOfPlan(project, personal, held, context.persons);
  const links = planLinks(held, context.matches, context.links, groupMoved, context.mailboxes, persons);
  const strength = strengthOf(links);
  const by = { source: options.imports ? ('import' as const) : ('api' as const), actor };
  const joined = joinLists(before.lists, context.lists, listNames, by);

  const row: AccountRow = {
    ...before,
    account_group: group,
    personal:
      context.account && !statesPersonal(changes, options.document ?? null)
        ? before.personal
        : project.cipher.sealJson('accounts', before.id, personal),
    expected_countries: expectedCountries,
    lists: byName(joined),
    updated_at: now,
    aggregates: relinks
      ? before.aggregates
      : {
          ...aggregatesAfter(before, session, context.boundScores),
          email: knownEmail(request, { before, personal, held, seen }, context),
        },
    ...(session
      ? afterSession(before, session, context.boundScores, held)
      : before.last_seen && recentCounts(held, before.last_seen)),
  };
  const hasDomain = held.some(({ kind }) => kind === IDENTIFIER_KINDS.email_domain);
  const accountsFromDomain = hasDomain
    ? Math.min(context.othersFromDomain + 1, LIMITS.accountsFromDomain)
    : 0;
  const known = { links: strength, personal, accountsFromDomain };
  const unruled = new Account(project, row, known);
  const inputs =
    session &&
    inputsOf(
      unruled,
      { session, strength, accountsFromDomain, held, verification: options.verification ?? null },
      context,
      rules,
      listNames,
    );
  const conclusion = inputs && conclude(inputs, rules);
  const ruled = conclusion && listsAfterRules(row.lists, context.lists, conclusion);
  const account = ruled ? new Account(project, { ...row, lists: byName(ruled) }, known) : unruled;
  const trace = conclusion?.trace ?? account.decisionTrace(strength);
  const ruleOfList: ReadonlyMap<string, RuleReference> = conclusion?.applied.ruleOfList ?? new Map();
  const changed = listChanges(before.lists, account.row.lists, (name) => ruleOfList.get(name)?.name);
  const { decision, score: accountScore } = trace;
  const decisionId = newId(now.getTime());
  const outcome = conclusion && outcomeOf(conclusion);

  const change: Omit<AccountChange, 'events'> = {
    account: account.row,
    requestId,
    now,
    binding: session && {
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
      rewrittenResult: rewrittenResult(project, session, context),
      decisionId,
      isFirstSession: inputs!.facts['session.is_first'] === true,
      sealed: sealDecision(project.cipher, decisionId, inputs!, outcome!),
    },
    matches: conclusion ? matchesOf(project, account, { session, now }, conclusion) : [],
    identifiers: {
      written: changedIdentifiers(held, context.mine),
      dropped,
      isOverLimit,
      groupMoved,
    },
    rekeyed: rekeyed && { holdsEarlier: rekeyed.holdsEarlier, updatedAt: before.updated_at },
    links,
    lists: listWrites(request, account, session, changed, context),
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
    told: {
      ...{ session, links, strength, now },
      relinks: relinks || (options.learnt !== undefined && !changesBlock(account, before)),
    } satisfies ToldChange,
    learns: options.learnt !== undefined && isOtherKnowledge(account, before),
    newEmail: relinks || !isOtherEmail(project, context.account, changes) ? '' : personal.email,
    crowds: crowdChanges(groupMoved ? [] : context.mine, held, context.matches, context.mailboxes),
    left: groupMoved ? { group: before.account_group, identifiers: context.mine } : null,
    change,
  };
}

/** The holder of the account as it is after the change, and of those that it is compared with. */
export function personsOfPlan(
  project: Project,
  personal: PersonalFields,
  held: readonly HeldIdentifier[],
  others: readonly PersonRow[],
): PersonsOfPlan {
  if (others.length === 0) return { own: null, others: new Map() };
  return { own: knownPerson(personOfFields(personal), held), others: readPersons(project, others) };
}

/** Whether an account's email block says something else than with the evidence from before. */
function changesBlock({ project, row, emailFacts }: Account, before: AccountRow): boolean {
  const earlier = new Account(project, { ...row, aggregates: before.aggregates });
  return JSON.stringify(emailFacts) !== JSON.stringify(earlier.emailFacts);
}

function isOtherKnowledge({ aggregates }: Account, before: AccountRow): boolean {
  return JSON.stringify(aggregates.email) !== JSON.stringify(parseAggregates(before.aggregates).email);
}

/** What a change of a project's account is merged with. */
export function mergeContext({ cipher }: Project, { document = null }: ChangeOptions): MergeContext {
  return { blindIndex: (kind, value) => cipher.blindIndex(kind, value), document };
}

/** The identifiers of an account whose match keys are rewritten; null for other changes. */
function rekeyedOf(
  { rekeys }: ChangeOptions,
  { account, mine }: ChangeContext,
  current: readonly IdentifierKey[],
) {
  if (!rekeys || !account) return null;
  // The session that creates an account started before it.
  const otherwise = {
    firstSeen: account.first_seen ?? account.created_at,
    lastSeen: account.last_seen ?? account.updated_at,
  };
  return rekeyIdentifiers(mine, current, { settles: rekeys === 'settle', otherwise });
}

/**
 * The kinds whose earlier identifiers a request replaces. While match keys are being rewritten, one that earlier rules made
 * of an unchanged field stays: other accounts may have no other key in common with it yet.
 */
function replacedKinds(
  project: Project,
  { account, keepsEarlierKeys }: ChangeContext,
  after: { personal: PersonalFields; expectedCountries: readonly string[] },
  { changes, options }: ChangeRequest,
): number[] {
  if (!account || !keepsEarlierKeys) return statedKinds(changes, options.document ?? null);
  const { expected_countries: expectedCountries } = account;
  return changedKinds({ personal: openPersonal(project, account), expectedCountries }, after);
}

/** What is written and told of the lists that the account comes on and leaves. */
function listWrites(
  { project, actor, accountId, requestId, now, options }: ChangeRequest,
  account: Account,
  session: Session | null,
  { added, removed }: ReturnType<typeof listChanges>,
  { createdLists: created, lists: known, keptOff }: StatedChangeContext,
): ListWrites {
  const auditId = () => (options.imports ? null : newId(now.getTime()));
  const told = { session, now };
  // A request that names a list adds the account explicitly: from then on rules may do so again.
  const lifted = known
    .filter(({ name }) => keptOff.includes(name) && options.listNames.includes(name))
    .map(({ listId, name }) => ({ listId, name, auditId: auditId(), auditActor: actor }));
  const createdLine = (name: string): AuditEntry => ({
    auditId: newId(now.getTime()),
    at: now,
    actor,
    action: 'list.create',
    target: `list:${name}`,
    requestId,
    after: { description: '', effect: 'none' },
  });
  return {
    audits: created.map(createdLine),
    lifted,
    added: added.map((list) => ({
      ...list,
      encryptedReason: encryptReason(project.cipher, accountId, list.reason),
      ...joinedEventsOf(project, account, told, list),
      auditId: auditId(),
      auditActor: list.source === 'rule' ? list.actor : actor,
    })),
    removed: removed.map((list) => ({
      ...list,
      event: leftEventOf(project, account, told, list),
      auditId: auditId(),
      auditActor: list.takenBy === 'rule' ? `rule:${list.reason}` : actor,
    })),
    mark: accountMark(project.cipher, accountId).short,
  };
}

function byName(lists: readonly ListMembership[]): ListMembership[] {
  return lists.toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/** All that the decision on a session depends on, but for the rules themselves. */
function inputsOf(
  account: Account,
  {
    session,
    strength,
    accountsFromDomain,
    held,
    verification,
  }: {
    session: Session;
    strength: LinkStrength;
    accountsFromDomain: number;
    held: readonly HeldIdentifier[];
    verification: Facts | null;
  },
  { velocity, lists, actedRules, keptOff: allKeptOff }: ChangeContext,
  { rules, listNames }: RuleSet,
  /** Lists that the request itself names. */
  lifted: readonly string[],
): DecisionInputs {
  const { suspiciousFrom, fakeFrom } = account.project.settings;
  const acted = actedRules.filter((id) => rules.some(({ rule }) => rule.ruleId === id)).sort();
  const keptOff = allKeptOff.filter((name) => listNames.includes(name) && !lifted.includes(name)).sort();
  return {
    facts: factsOf({
      session,
      bound: {
        account,
        links: strength,
        accountsFromDomain,
        isFirstSession: account.row.num_sessions === 1,
        held,
        velocity: velocity!,
      },
      verification,
    }),
    parts: account.scoreParts(strength),
    thresholds: { suspiciousFrom, fakeFrom },
    lists: account.decidingLists,
    known: lists.filter(({ name }) => listNames.includes(name)).map(toDecidingList),
    language: RULE_LANGUAGE_VERSION,
    ...(acted.length === 0 ? {} : { acted }),
    ...(keptOff.length === 0 ? {} : { keptOff }),
  };
}

function toDecidingList({ name, effect, source, actor, reason }: ListMembership): DecidingList {
  return { name, effect, source, actor, reason };
}

/** The account's lists as the rules left them. */
function listsAfterRules(
  before: readonly ListMembership[],
  known: readonly ListMembership[],
  { applied }: Conclusion,
): ListMembership[] {
  const heldByName = new Map(before.map((list) => [list.name, list]));
  const knownByName = new Map(known.map((list) => [list.name, list]));
  return applied.lists.flatMap(({ name, source = '', actor = '', reason = '' }) => {
    const held = heldByName.get(name);
    const list = held ?? knownByName.get(name);
    return list ? [held ?? { ...list, source, actor, reason }] : [];
  });
}

/** The rules that matched, with what they tell; of those that are only tried nothing is told. */
function matchesOf(
  project: Project,
  account: Account,
  told: { session: Session | null; now: Date },
  { applied, shadow }: Conclusion,
): AccountChange['matches'] {
  const matchId = () => newId(told.now.getTime());
  return [
    // A repeat is recorded already, and its events were emitted.
    ...applied.matched
      .filter(({ isRepeat }) => !isRepeat)
      .map((match) => ({
        matchId: matchId(),
        rule: match.rule,
        isShadow: false,
        outcomes: match.outcomes,
        events: ruleEventsOf(project, account, told, match),
      })),
    ...shadow.map((match) => ({ ...match, matchId: matchId(), isShadow: true, events: [] })),
  ];
}

function knownEmail(
  { project, answers, changes, options }: ChangeRequest,
  {
    before,
    personal: { email },
    held,
    seen,
  }: { before: AccountRow; personal: PersonalFields; held: readonly HeldIdentifier[]; seen: Date },
  context: ChangeContext,
): KnownEmail | undefined {
  const address = held.find(({ kind }) => EMAIL_KINDS.includes(kind));
  if (!address) return undefined;
  const owner = { project, rowId: before.id };
  const stored = parseAggregates(before.aggregates).email;
  const known = isOtherEmail(project, context.account, changes) ? undefined : stored;
  if (options.learnt && known) {
    const { firstSeen, sightings } = known;
    return { firstSeen, sightings, ...withFound(owner, known, options.learnt) };
  }
  // A placeholder is the address of nobody: how long it is known says nothing.
  const isPlaceholder = address.kind === IDENTIFIER_KINDS.placeholder_email;
  const same = [...context.mine, ...context.matches].filter(
    (one) => !isPlaceholder && one.kind === address.kind && one.hash.equals(address.hash),
  );
  return {
    firstSeen: Math.min(seen.getTime(), ...same.map(({ firstSeen }) => firstSeen.getTime())),
    sightings: same.reduce((sum, { uses = 0 }) => sum + uses, 0),
    ...withFound(owner, known ?? {}, {
      mail: answers.mailOf(parseEmail(email).domain),
      providers: answers.providers,
    }),
  };
}

/** Whether a change gives an account an email that it does not have. */
function isOtherEmail(project: Project, account: AccountRow | null, { email }: AccountChanges): boolean {
  if (!account) return true;
  return email !== undefined && email !== null && email !== openPersonal(project, account).email;
}

function newAccountRow(accountId: string, now: Date): AccountRow {
  return {
    id: newId(now.getTime()),
    account_id: accountId,
    account_group: '',
    personal: new Uint8Array(),
    expected_countries: [],
    first_seen: null,
    last_seen: null,
    last_session: null,
    country: '',
    countries: [],
    num_sessions: 0,
    unique_devices_1d: 0,
    unique_devices_7d: 0,
    unique_networks_1d: 0,
    unique_networks_7d: 0,
    aggregates: {},
    created_at: now,
    updated_at: now,
    lists: [],
  };
}

/** The session as the account's past shows it: what it says of the pair replaces what it said of another. */
function comparedSession(
  project: Project,
  { session, trace, past }: ChangeContext,
  expectedCountries: readonly string[],
): Session | null {
  if (!session) return null;
  const stored = new Session(project, session);
  if (!trace || !past) return stored;
  const opened = openTrace(project.cipher, session.session_id, trace);
  const history = compareWithPast(project.cipher, opened, past, { expectedCountries });
  return new Session(project, session, withHistory(stored.result, history, project.calibration));
}

/** The session's result, sealed, when it says something else than the stored one; null otherwise. */
function rewrittenResult(project: Project, compared: Session, { session }: ChangeContext): Buffer | null {
  const stored = new Session(project, session!).result;
  const { result } = compared;
  const isSame =
    JSON.stringify(stored.history ?? []) === JSON.stringify(result.history ?? []) &&
    (stored.calibrationVersion ?? null) === (result.calibrationVersion ?? null);
  return isSame ? null : project.cipher.sealJson('sessions', compared.sessionId, result);
}

/** What a session changes in its account's row. */
function afterSession(
  before: AccountRow,
  session: Session,
  boundScores: number[] | null,
  held: readonly HeldIdentifier[],
): Partial<AccountRow> {
  const start = session.row.start_time;
  const country = session.result.trueCountryCode;
  const isLatest = before.last_seen === null || start >= before.last_seen;
  const lastSeen = isLatest ? start : before.last_seen!;
  return {
    first_seen: before.first_seen === null || start < before.first_seen ? start : before.first_seen,
    last_seen: lastSeen,
    last_session: isLatest ? session.sessionId : before.last_session,
    country: isLatest ? country : before.country,
    countries:
      country && !before.countries.includes(country) ? [...before.countries, country] : before.countries,
    num_sessions: before.num_sessions + (boundScores === null ? 1 : 0),
    ...recentCounts(held, lastSeen),
  };
}

function recentCounts(held: readonly HeldIdentifier[], lastSeen: Date) {
  const countOf = (kind: number, days: number) => countRecent(held, kind, lastSeen, days);
  return {
    unique_devices_1d: countOf(IDENTIFIER_KINDS.device, 1),
    unique_devices_7d: countOf(IDENTIFIER_KINDS.device, 7),
    unique_networks_1d: countOf(IDENTIFIER_KINDS.network, 1),
    unique_networks_7d: countOf(IDENTIFIER_KINDS.network, 7),
  };
}

function aggregatesAfter(
  before: AccountRow,
  session: Session | null,
  boundScores: number[] | null,
): Aggregates {
  const aggregates = parseAggregates(before.aggregates);
  if (!session) return aggregates;
  return addSession(aggregates, session.row.start_time, vectorOf(session), boundScores);
}

function vectorOf(session: Session) {
  const { riskSignalScores, botScore, riskScore } = session.result;
  return scoreVector(riskSignalScores, botScore, riskScore);
}

/** Identifiers whose rows must be written: `mine` are those that are stored. */
function changedIdentifiers(
  held: readonly HeldIdentifier[],
  mine: readonly HeldIdentifier[],
): HeldIdentifier[] {
  const stored = new Map(mine.map((one) => [identifierKey(one.kind, one.hash), one]));
  return held.filter((one) => mustWrite(one, stored.get(identifierKey(one.kind, one.hash))));
}

/** The kinds of which an account with an email has one. */
const EMAIL_KINDS: readonly number[] = [
  IDENTIFIER_KINDS.email,
  IDENTIFIER_KINDS.role_email,
  IDENTIFIER_KINDS.placeholder_email,
];
/** Identifiers that only serve counting are written once; the others whenever they were seen. */
function mustWrite(one: HeldIdentifier, before: HeldIdentifier | undefined): boolean {
  if (!before) return true;
  if (isCountingKind(kindOfNumber(one.kind))) return false;
  const isLonger = before.firstSeen > one.firstSeen || before.lastSeen < one.lastSeen;
  return isLonger || (before.uses !== one.uses && repeats(kindOfNumber(one.kind)));
}

/** The strength of the strongest links; the rest of a very large ring changes nothing any more. */
function strengthOf(plan: LinkPlan): LinkStrength {
  const scores = plan.links.map(({ score }) => score).sort((a, b) => b - a);
  return linkStrength(scores.slice(0, LIMITS.linksPerAccount));
}
