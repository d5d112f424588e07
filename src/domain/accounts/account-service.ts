import { setTimeout as delay } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import type { Clock } from '../../platform/clock.ts';
import { AppError, forbidden, invalidInput } from '../../platform/errors.ts';
import { isUuid, newId } from '../../platform/ids.ts';
import { LIMITS } from '../../platform/limits.ts';
import type { Transaction } from '../../storage/database.ts';
import { EMAIL_WEIGHTS_VERSION } from '../email/email-weights.ts';
import type { MailExchangers } from '../email/mail-exchangers.ts';
import { type OutboxEvent, outboxEvent } from '../events/outbox-event.ts';
import { forgetAnswers } from '../idempotency/forget-answers-service.ts';
import {
  contactIdentifiers,
  type IdentifierKey,
  sessionIdentifiers,
} from '../linking/account-identifiers.ts';
import { crowdChanges } from '../linking/crowd-changes.ts';
import { IDENTIFIER_KINDS, kindOfNumber, matchTypesOf } from '../linking/identifier-kinds.ts';
import { parseEmail } from '../linking/identifiers/email-address.ts';
import { LINK_WEIGHTS_VERSION, repeats } from '../linking/pair-score.ts';
import { type HeldIdentifier, holdIdentifiers, type LinkPlan, planLinks } from '../linking/plan-links.ts';
import { accountLockOf, followCrowds, markLeftCrowds } from '../linking/rescore-service.ts';
import { isStandardList } from '../lists/standard-lists.ts';
import type { Viewer } from '../projects/access-service.ts';
import type { Project } from '../projects/project.ts';
import { sessionExpired, sessionNotFound } from '../sessions/errors.ts';
import { Session } from '../sessions/session.ts';
import { compareWithPast, openTrace } from '../sessions/session-history.ts';
import { withHistory } from '../sessions/session-result.ts';
import {
  Account,
  type AccountRow,
  type ListMembership,
  NO_PERSONAL_FIELDS,
  openPersonal,
} from './account.ts';
import { type ChangeContext, lockAndRead, lockAndReadAccount } from './account-change-store.ts';
import { deleteAccountRows } from './account-delete-store.ts';
import type { AccountChanges, AuthenticateAccount } from './account-input.ts';
import {
  type AccountWithNeighbours,
  findAccountWithNeighbours,
  type WantedNeighbours,
} from './account-neighbours-store.ts';
import { ACCOUNT_WEIGHTS_VERSION, type Decision, type LinkStrength, linkStrength } from './account-score.ts';
import { findAccountByAccountId } from './account-store.ts';
import { writeStatements } from './account-write-store.ts';
import { type Aggregates, addSession, parseAggregates, scoreVector } from './aggregates.ts';
import { accountNotFound } from './errors.ts';
import {
  dependsOnStored,
  mergeExpectedCountries,
  mergePersonal,
  statedKinds,
  statesPersonal,
} from './merge-account.ts';
import { countRecent } from './recent-identifiers.ts';

/** An account after a change, with what the answer of that change shows. */
export type ChangedAccount = {
  account: Account;
  links: LinkStrength;
  decision: Decision;
  accountScore: number;
};

export type AuthenticatedSession = ChangedAccount & { session: Session };

/** What a change depends on, with the identifiers that the request states. */
type StatedChangeContext = ChangeContext & { stated: readonly IdentifierKey[] };

type ChangeOptions = {
  sessionId: string | null;
  listNames: readonly string[];
  /** Whether an account that is not known is made. */
  creates?: boolean;
  /** Whether only the links are made anew. */
  relinks?: boolean;
};

/** Long enough for most answers of name servers, and short against the patience of who signs up. */
const MAIL_EXCHANGE_WAIT_MS = 250;

export type AccountService = ReturnType<typeof createAccountService>;

/** Authenticates, updates, finds and erases accounts. */
export function createAccountService(deps: {
  clock: Clock;
  /** Null: name servers are not asked. */
  mailExchangers: Pick<MailExchangers, 'status' | 'settled'> | null;
  /** Told when a change left links or identities to be followed afterwards. */
  onMarks?: () => void;
}) {
  const { clock, mailExchangers, onMarks = () => {} } = deps;
  // A domain that reached the largest count is not counted for a minute: of the large providers nearly always so.
  const crowdedDomains = new LRUCache<string, true>({ max: 10_000, ttl: 60_000 });

  /** Binds a session to an account (new or known), links it and scores it. The same pair again counts once. */
  async function authenticate(
    viewer: Viewer,
    requestId: string,
    input: AuthenticateAccount,
    sessionId: string,
  ): Promise<AuthenticatedSession> {
    checkLists(input.lists ?? []);
    if (!isUuid(sessionId)) throw sessionNotFound();
    const changed = await change(viewer, requestId, input.id, input, {
      sessionId,
      listNames: input.lists ?? [],
    });
    return { ...changed, session: changed.session! };
  }

  /** Stores an account as it comes from another system, new or known, without a session; its links follow. */
  async function importAccount(
    viewer: Viewer,
    requestId: string,
    { id, lists, ...changes }: AuthenticateAccount,
  ): Promise<void> {
    checkLists(lists ?? []);
    await change(viewer, requestId, id, changes, { sessionId: null, listNames: lists ?? [], creates: true });
  }

  /** Makes the links of a known account anew from what it and others hold. False when there is no such account. */
  async function relink(viewer: Viewer, accountId: string): Promise<boolean> {
    try {
      await change(viewer, newId(), accountId, {}, { sessionId: null, listNames: [], relinks: true });
      return true;
    } catch (error) {
      if (error instanceof AppError && error.code === accountNotFound().code) return false;
      throw error;
    }
  }

  /** Changes fields of a known account; its links follow. */
  function update(
    viewer: Viewer,
    requestId: string,
    accountId: string,
    changes: AccountChanges,
  ): Promise<ChangedAccount> {
    return change(viewer, requestId, accountId, changes, { sessionId: null, listNames: [] });
  }

  async function change(
    viewer: Viewer,
    requestId: string,
    accountId: string,
    changes: AccountChanges,
    options: ChangeOptions,
  ): Promise<ChangedAccount & { session: Session | null }> {
    const { project } = viewer;
    // Before the transaction: nothing that waits for the outside stands between its locks and its commit.
    await awaitMailExchange(changes.email);
    const { result, leavesMarks } = await project.database.transaction(async (transaction) => {
      const context = await readContext(project, transaction, accountId, changes, options);
      if (options.sessionId !== null) checkSession(context);
      else if (!context.account && !options.creates) throw accountNotFound();
      const plan = planChange(project, viewer.actor, requestId, accountId, changes, context, options);
      const following = await followLinks(project, transaction, plan);
      await transaction.commit(...writeStatements(project.database, plan.change), ...following);
      return { result: plan.result, leavesMarks: following.length > 0 || plan.change.links.movesIdentity };
    });
    if (leavesMarks) onMarks();
    return result;
  }

  /** What a change does to the links between other accounts. */
  async function followLinks(
    project: Project,
    transaction: Transaction,
    { change: { account, now }, crowds, left }: ReturnType<typeof planChange>,
  ) {
    const marks = left ? markLeftCrowds(project, left.identifiers, left.group) : [];
    const following = await followCrowds(project, transaction, crowds, account.account_group, now);
    return [...marks, ...following];
  }

  /** Gives name servers a moment for a domain that is new to this process; later they are asked in the background. */
  async function awaitMailExchange(email: string | null | undefined): Promise<void> {
    const domain = email ? parseEmail(email).domain : '';
    if (!mailExchangers || domain === '' || mailExchangers.status(domain) !== 'unknown') return;
    await Promise.race([
      mailExchangers.settled(domain),
      delay(MAIL_EXCHANGE_WAIT_MS, undefined, { ref: false }),
    ]);
  }

  function knownEmail(email: string, held: readonly HeldIdentifier[], context: ChangeContext, seen: Date) {
    const hash = held.find(({ kind }) => kind === IDENTIFIER_KINDS.email)?.hash;
    const { domain } = parseEmail(email);
    if (!hash) return undefined;
    const same = [...context.mine, ...context.matches].filter(
      (one) => one.kind === IDENTIFIER_KINDS.email && one.hash.equals(hash),
    );
    return {
      firstSeen: Math.min(seen.getTime(), ...same.map(({ firstSeen }) => firstSeen.getTime())),
      sightings: same.reduce((sum, { uses = 0 }) => sum + uses, 0),
      mailExchange: mailExchangers?.status(domain) ?? ('unknown' as const),
    };
  }

  async function readContext(
    project: Project,
    transaction: Transaction,
    accountId: string,
    changes: AccountChanges,
    options: { sessionId: string | null; listNames: readonly string[] },
  ): Promise<StatedChangeContext> {
    const accountLock = accountLockOf(project.cipher, accountId);
    const stored = dependsOnStored(changes)
      ? await lockAndReadAccount(project.database, transaction, accountLock, accountId)
      : null;
    const identifiers = statedIdentifiers(project, changes, stored);
    const domain = identifiers.find(({ kind }) => kind === IDENTIFIER_KINDS.email_domain)?.hash;
    const domainKey = domain && `${project.projectId}:${domain.toString('latin1')}`;
    const context = await lockAndRead(project.database, transaction, {
      accountLock,
      accountId,
      sessionId: options.sessionId,
      group: changes.group ?? null,
      identifiers,
      listNames: options.listNames,
      domain: domainKey && crowdedDomains.has(domainKey) ? 'crowded' : (domain ?? 'own'),
    });
    if (domainKey && context.othersFromDomain >= LIMITS.accountsFromDomain)
      crowdedDomains.set(domainKey, true);
    return { ...context, stated: identifiers };
  }

  function checkSession(context: ChangeContext): void {
    const { session } = context;
    if (!session) throw sessionNotFound();
    if (!context.sessionBound && session.expires_at <= clock.now()) throw sessionExpired();
  }

  function planChange(
    project: Project,
    actor: string,
    requestId: string,
    accountId: string,
    changes: AccountChanges,
    context: StatedChangeContext,
    { listNames, relinks = false }: ChangeOptions,
  ) {
    const now = clock.now();
    const expectedCountries = mergeExpectedCountries(context.account?.expected_countries ?? [], changes);
    const session = comparedSession(project, context, expectedCountries);
    const seen = session?.row.start_time ?? now;
    const before = context.account ?? newAccountRow(accountId, now);
    const personal = mergePersonal(
      context.account ? openPersonal(project, context.account) : NO_PERSONAL_FIELDS,
      changes,
    );

    const current = [...context.stated, ...(session ? sessionIdentifiers(session.row) : [])];
    const isCounted = session === null || context.boundScores === null;
    const { held, dropped } = holdIdentifiers(context.mine, current, statedKinds(changes), seen, isCounted);
    const group = changes.group ?? before.account_group;
    const groupMoved = context.account !== null && group !== before.account_group;
    const links = planLinks(held, context.matches, context.links, groupMoved);
    const lists = planLists(project, before.lists, context.lists, listNames, now);

    const row: AccountRow = {
      ...before,
      account_group: group,
      personal:
        context.account && !statesPersonal(changes)
          ? before.personal
          : project.cipher.sealJson('accounts', before.id, personal),
      expected_countries: expectedCountries,
      lists: lists.after,
      updated_at: now,
      aggregates: relinks
        ? before.aggregates
        : {
            ...aggregatesAfter(before, session, context.boundScores),
            email: knownEmail(personal.email, held, context, seen),
          },
      ...(session ? afterSession(before, session, context.boundScores, held) : {}),
    };
    const strength = strengthOf(links);
    const hasDomain = held.some(({ kind }) => kind === IDENTIFIER_KINDS.email_domain);
    const accountsFromDomain = hasDomain
      ? Math.min(context.othersFromDomain + 1, LIMITS.accountsFromDomain)
      : 0;
    const account = new Account(project, row, { links: strength, personal, accountsFromDomain });
    const accountScore = account.accountScore(strength);
    const decision = account.decision(strength);
    return {
      result: { account, links: strength, session, decision, accountScore },
      crowds: crowdChanges(groupMoved ? [] : context.mine, held, context.matches),
      left: groupMoved ? { group: before.account_group, identifiers: context.mine } : null,
      change: {
        account: row,
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
          },
          isNew: context.boundScores === null,
          rewrittenResult: rewrittenResult(project, session, context),
        },
        identifiers: {
          written: held.filter((one) => mustWrite(one, context.mine)),
          dropped,
          groupMoved,
        },
        links,
        lists: { ...lists, actor },
        events: eventsOf(project, account, {
          session,
          accountScore,
          decision,
          links,
          lists,
          now,
          strength,
          relinks,
        }),
      },
    };
  }

  /** The account with the client's id, or null. */
  async function find(viewer: Viewer, accountId: string): Promise<Account | null> {
    if (viewer.accountId !== undefined && viewer.accountId !== accountId) return null;
    if (viewer.sessionId !== undefined || accountId.length > LIMITS.accountIdLength) return null;
    const row = await findAccountByAccountId(viewer.project.database, accountId);
    return row && new Account(viewer.project, row);
  }

  /** A row with its first links and its latest session, for who may read them all. */
  async function findWithNeighbours(
    viewer: Viewer,
    accountId: string,
    wanted: WantedNeighbours,
  ): Promise<AccountWithNeighbours | null> {
    if (viewer.accountId !== undefined || viewer.sessionId !== undefined) return null;
    if (accountId.length > LIMITS.accountIdLength) return null;
    return findAccountWithNeighbours(viewer.project.database, accountId, wanted);
  }

  async function get(viewer: Viewer, accountId: string): Promise<Account> {
    if (viewer.sessionId !== undefined) throw forbidden('This token reads one session only');
    const account = await find(viewer, accountId);
    if (!account) throw accountNotFound();
    return account;
  }

  /** Erases an account, what it was linked and matched by, and the sessions that belong to nobody else. */
  async function remove(viewer: Viewer, requestId: string, accountId: string): Promise<void> {
    const { project } = viewer;
    const now = clock.now();
    const event = outboxEvent(project.cipher, 'account.deleted', null, { account_id: accountId }, now);
    const deleted = await deleteAccountRows(project.database, {
      accountId,
      accountLock: accountLockOf(project.cipher, accountId),
      event,
      requestId,
      now,
      audit: {
        auditId: newId(now.getTime()),
        actor: viewer.actor,
        target: `account:${project.cipher.blindIndex('audit account', accountId).toString('hex')}`,
      },
    });
    if (!deleted) throw accountNotFound();
    onMarks();
    await forgetAnswers(project, accountId);
  }

  return { authenticate, update, importAccount, relink, find, findWithNeighbours, get, remove };
}

function statedIdentifiers(project: Project, changes: AccountChanges, stored: AccountRow | null) {
  const kinds = statedKinds(changes);
  if (kinds.length === 0) return [];
  const fields = mergePersonal(stored ? openPersonal(project, stored) : NO_PERSONAL_FIELDS, changes);
  const countries = mergeExpectedCountries(stored?.expected_countries ?? [], changes);
  return contactIdentifiers(fields, countries, (kind, value) =>
    project.cipher.blindIndex(kind, value),
  ).filter(({ kind }) => kinds.includes(kind));
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
  const countOf = (kind: number, days: number) => countRecent(held, kind, lastSeen, days);
  return {
    first_seen: before.first_seen === null || start < before.first_seen ? start : before.first_seen,
    last_seen: lastSeen,
    last_session: isLatest ? session.sessionId : before.last_session,
    country: isLatest ? country : before.country,
    countries:
      country && !before.countries.includes(country) ? [...before.countries, country] : before.countries,
    num_sessions: before.num_sessions + (boundScores === null ? 1 : 0),
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

/** Identifiers that only serve counting are written once; the others whenever they were seen. */
function mustWrite(one: HeldIdentifier, mine: readonly HeldIdentifier[]): boolean {
  const before = mine.find((other) => other.kind === one.kind && other.hash.equals(one.hash));
  if (!before) return true;
  const countsOnly = one.kind === IDENTIFIER_KINDS.email_block || one.kind === IDENTIFIER_KINDS.email_domain;
  if (countsOnly) return false;
  const isLonger = before.firstSeen > one.firstSeen || before.lastSeen < one.lastSeen;
  return isLonger || (before.uses !== one.uses && repeats(kindOfNumber(one.kind)));
}

/** The strength of the strongest links; the rest of a very large ring changes nothing any more. */
function strengthOf(plan: LinkPlan): LinkStrength {
  const scores = plan.links.map(({ score }) => score).sort((a, b) => b - a);
  return linkStrength(scores.slice(0, LIMITS.linksPerAccount));
}

function checkLists(names: readonly string[]): void {
  const standard = [...new Set(names)].filter(isStandardList);
  if (standard.length > 1) {
    throw invalidInput(`account.lists: an account is on one of ${standard.join(', ')} at most`, [
      'account',
      'lists',
    ]);
  }
}

/** The account's lists after the request: names that are new to the project become lists, nobody is removed. */
function planLists(
  project: Project,
  before: readonly ListMembership[],
  known: readonly ListMembership[],
  names: readonly string[],
  now: Date,
) {
  const joined = [...new Set(names)];
  const leavesStandard = joined.some(isStandardList);
  const created = joined
    .filter((name) => !known.some((list) => list.name === name))
    .map((name) => ({
      listId: newId(now.getTime()),
      name,
      description: '',
      effect: 'none',
      standard: isStandardList(name),
      createdAt: now,
    }));
  const kept = before.filter((list) => !(leavesStandard && list.standard && !joined.includes(list.name)));
  const added = [...known, ...created].filter((list) => !before.some(({ name }) => name === list.name));
  const removed = before.filter((list) => !kept.includes(list));
  const after = [...kept, ...added].sort((a, b) => (a.name < b.name ? -1 : 1));
  return { joined, leavesStandard, created, added, removed, after, projectId: project.projectId };
}

function eventsOf(
  project: Project,
  account: Account,
  told: {
    session: Session | null;
    accountScore: number;
    decision: Decision;
    links: LinkPlan;
    lists: { added: readonly ListMembership[]; removed: readonly ListMembership[] };
    strength: LinkStrength;
    now: Date;
    /** Nothing of the account itself changed. */
    relinks: boolean;
  },
): OutboxEvent[] {
  const { session, links, lists, strength, now } = told;
  const { row } = account;
  const sessionId = session?.sessionId ?? null;
  const event = (type: OutboxEvent['type'], data: Record<string, unknown>) =>
    outboxEvent(project.cipher, type, sessionId, { account_id: row.account_id, ...data }, now);
  return [
    ...(session?.row.state === 'open' ? [event('session.completed', {})] : []),
    ...(told.relinks
      ? []
      : [
          event(session ? 'account.authenticated' : 'account.updated', {
            decision: told.decision,
            account_score: told.accountScore,
            bot: account.bot,
            multiple_accounts: account.multipleAccounts(strength),
            risk_signals: account.riskSignals,
            accounts_linked: strength.count,
            lists: row.lists.map(({ name }) => name),
          }),
        ]),
    ...links.added.map((link) =>
      event('account.linked', {
        linked_id: link.accountId,
        score: link.score,
        match_types: matchTypesOf(link.kinds),
      }),
    ),
    ...links.removed.map((linkedId) => event('account.unlinked', { linked_id: linkedId })),
    ...lists.added.map(({ name }) => event('list.account_added', { list: name })),
    ...lists.removed.map(({ name }) => event('list.account_removed', { list: name })),
  ];
}
