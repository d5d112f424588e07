import { setTimeout as delay } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import type { Clock } from '../../platform/clock.ts';
import { AppError } from '../../platform/errors.ts';
import { isUuid, newId } from '../../platform/ids.ts';
import { LIMITS } from '../../platform/limits.ts';
import type { Transaction } from '../../storage/database.ts';
import { accountMark } from '../audit/account-mark.ts';
import { parseEmail } from '../email/email-address.ts';
import type { MailExchangers } from '../email/mail-exchangers-adapter.ts';
import { UNKNOWN_ROUTE } from '../email/mail-route-adapter.ts';
import type { EmailProviders } from '../email/providers/email-providers.ts';
import {
  dropAccountCheck,
  endAccountCheckCall,
  findClientId,
  insertAccountCheckCall,
  lockPendingCheck,
} from '../email-checks/account-check-store.ts';
import { addressHashOf } from '../email-checks/address-hash.ts';
import type { PendingCheck } from '../email-checks/email-check-row.ts';
import type { EvaluatedCheck } from '../email-checks/email-check-worker.ts';
import { type OutboxEvent, outboxEvent } from '../events/outbox-event.ts';
import { eraseWideAnswers } from '../idempotency/idempotency-store.ts';
import { CONTACT_KINDS, IDENTIFIER_KINDS } from '../identifiers/identifier-kinds.ts';
import { isPlaceholderEmail } from '../identifiers/placeholders.ts';
import { contactIdentifiers, type IdentifierKey } from '../linking/account-identifiers.ts';
import { accountLockOf, followCrowds, markLeftCrowds } from '../linking/rescore-service.ts';
import { findClientIds } from '../linking/rescore-store.ts';
import type { AccountRow } from '../model/account-row.ts';
import type { DocumentIdentity } from '../model/document-identity.ts';
import { NO_PERSONAL_FIELDS, openPersonal } from '../model/personal-fields.ts';
import type { Viewer } from '../projects/access-service.ts';
import { assertMay, isLimited, isWithin } from '../projects/assert-may.ts';
import type { Project } from '../projects/project.ts';
import type { Facts } from '../rules/language/expression.ts';
import { NO_RULES, type RuleSet } from '../rules/rule-set.ts';
import { createRuleSets } from '../rules/rule-set-service.ts';
import { sessionExpired, sessionNotFound } from '../sessions/errors.ts';
import type { Session } from '../sessions/session.ts';
import { Account } from './account.ts';
import { type ChangeContext, lockAndRead, lockAndReadAccount, readLists } from './account-change-store.ts';
import { deleteAccountRows } from './account-delete-store.ts';
import { type ClientIds, eventsOf } from './account-events.ts';
import type { AccountChanges, AuthenticateAccount } from './account-input.ts';
import { createLists } from './account-lists-store.ts';
import {
  type AccountWithNeighbours,
  findAccountWithNeighbours,
  type WantedNeighbours,
} from './account-neighbours-store.ts';
import { findAccountByAccountId } from './account-store.ts';
import { writeStatements } from './account-write-store.ts';
import { CheckEndsAlone, completedEvent, pendingCheckOf } from './email-check.ts';
import { accountNotFound } from './errors.ts';
import type { EmailAnswers } from './known-email.ts';
import {
  dependsOnStored,
  type MergeContext,
  mergeExpectedCountries,
  mergePersonal,
  statedKinds,
} from './merge-account.ts';
import {
  type ChangedAccount,
  type ChangeOptions,
  type ChangePlan,
  mergeContext,
  planChange,
  type StatedChangeContext,
} from './plan-change.ts';
import { checkLists } from './plan-lists.ts';

export type { WantedNeighbours } from './account-neighbours-store.ts';

/** What a request says of an account: its identifiers as keyed hashes, and the fields by which people are compared. */
export type StatedOfAccount = {
  readonly identifiers: readonly IdentifierKey[];
  readonly fields: { readonly [field in 'email' | 'firstName' | 'lastName']?: string | null | undefined };
};

/** A session with a check, and the account that a request names for it. */
export type BindingOfCheck = {
  readonly sessionId: string;
  /** The client's own id of the account that the session is bound to. */
  readonly accountId: string;
  /** The group that the request gives the account; null leaves it. */
  readonly group?: string | null;
  readonly now: Date;
};

/** What the check of a session brings to its binding: in the same transaction, seen by the same rules. */
export type VerificationBinding = {
  /** Whether the check binds its session itself: also one that expired; its event names all linked accounts. */
  readonly isByCheck: boolean;
  /** Before anything else is locked or read. `stated`: what the request says of the account. */
  begin(
    transaction: Transaction,
    stated: StatedOfAccount,
  ): Promise<{
    /** The face and the document, as keyed hashes. */
    identifiers: readonly IdentifierKey[];
    /** What was found, by the names of the fields of rules; null before the check is completed. */
    facts: Facts | null;
    /** Date of birth and number of the document, for linking only; null without a document that has them. */
    document: DocumentIdentity | null;
  }>;
  /** What is to be written and told, once it is known what the account is linked to and which lists it is on. */
  finish(
    bound: ChangedAccount & { session: Session },
    linked: readonly { accountId: string; kinds: number }[],
  ): BoundWrites | Promise<BoundWrites>;
};
type BoundWrites = { calls: readonly Call[]; events: readonly OutboxEvent[] };
type Call = Parameters<Transaction['commit']>[number];

/** The session to be bound has a check, whose locks come before all others. */
class SessionHasCheck extends Error {}

export type AuthenticatedSession = ChangedAccount & {
  session: Session;
  decided: NonNullable<ChangedAccount['decided']>;
};

/** Long enough for most answers of name servers, and short against the patience of who signs up. */
const MAIL_EXCHANGE_WAIT_MS = 250;

export type AccountService = ReturnType<typeof createAccountService>;

/** Authenticates, updates, finds and erases accounts. */
export function createAccountService(deps: {
  clock: Clock;
  /** Binds a session that has a check. */
  bindSessionOfCheck: (project: Project, binding: BindingOfCheck) => VerificationBinding;
  /** Null: name servers are not asked. */
  mailExchangers: Pick<MailExchangers, 'status' | 'settled' | 'evidence'> | null;
  /** Null or absent: no files of breaches and profiles are read, and nobody is asked. */
  emailProviders?: Pick<EmailProviders, 'isOnline' | 'lookUpOffline'> | null;
  /** Receives checks of emails that were committed, to ask what is still unknown. */
  onEmailToCheck?: (projectId: string, check: PendingCheck) => void;
  /** Told when a change left links or identities to be followed afterwards. */
  onMarks?: () => void;
  /** Removes the pictures of verifications that were erased; what fails is left to the next purge. */
  onErased?: (project: Project, sessionIds: readonly string[]) => Promise<void>;
}) {
  const {
    clock,
    bindSessionOfCheck,
    mailExchangers,
    emailProviders = null,
    onEmailToCheck = () => {},
  } = deps;
  const { onMarks = () => {}, onErased = async () => {} } = deps;
  // A domain that reached the largest count is not counted for a minute: of the large providers nearly always so.
  const ruleSets = createRuleSets();
  const crowdedDomains = new LRUCache<string, true>({ max: 10_000, ttl: 60_000 });

  /** Binds a session to an account (new or known), links it and scores it. The same pair again counts once. */
  async function authenticate(
    viewer: Viewer,
    requestId: string,
    input: AuthenticateAccount,
    sessionId: string,
  ): Promise<AuthenticatedSession> {
    assertMay(viewer, 'session.authenticate');
    checkLists(input.lists ?? []);
    if (!isUuid(sessionId)) throw sessionNotFound();
    const { project } = viewer;
    const options = { sessionId, listNames: input.lists ?? [] };
    const changed = await change(viewer, requestId, input.id, input, options).catch((error: unknown) => {
      if (!(error instanceof SessionHasCheck)) throw error;
      const binding = { sessionId, accountId: input.id, group: input.group ?? null, now: clock.now() };
      return change(viewer, requestId, input.id, input, options, bindSessionOfCheck(project, binding));
    });
    return { ...changed, session: changed.session!, decided: changed.decided! };
  }

  /** Binds the session of a verification to an account (new or known), as `authenticate` does, with what it found. */
  async function bindVerification(
    viewer: Viewer,
    requestId: string,
    accountId: string,
    sessionId: string,
    binding: VerificationBinding,
  ): Promise<AuthenticatedSession> {
    assertMay(viewer, 'account.bind_verification');
    const options = { sessionId, listNames: [] };
    const changed = await change(viewer, requestId, accountId, {}, options, binding);
    return { ...changed, session: changed.session!, decided: changed.decided! };
  }

  /** The same for a pair of account and session that was bound before; nothing where the account was erased since. */
  async function rebindVerification(
    viewer: Viewer,
    requestId: string,
    accountId: string,
    sessionId: string,
    binding: VerificationBinding,
  ): Promise<void> {
    assertMay(viewer, 'account.bind_verification');
    const options = { sessionId, listNames: [], rebinds: true };
    await change(viewer, requestId, accountId, {}, options, binding).catch(ignoreMissingAccount);
  }

  /** Stores an account as it comes from another system, new or known, without a session; its links follow. */
  async function importAccount(
    viewer: Viewer,
    requestId: string,
    { id, lists, ...changes }: AuthenticateAccount,
  ): Promise<void> {
    assertMay(viewer, 'account.import');
    checkLists(lists ?? []);
    await change(viewer, requestId, id, changes, { sessionId: null, listNames: lists ?? [], imports: true });
  }

  /** Makes the links of a known account anew from what it and others hold. False when there is no such account. */
  function relink(viewer: Viewer, accountId: string): Promise<boolean> {
    assertMay(viewer, 'account.rebuild');
    return relinkWith(viewer, accountId, {});
  }

  async function relinkWith(
    viewer: Viewer,
    accountId: string,
    how: Pick<ChangeOptions, 'rekeys'>,
  ): Promise<boolean> {
    const options = { sessionId: null, listNames: [], relinks: true, ...how };
    return (await change(viewer, newId(), accountId, {}, options).catch(ignoreMissingAccount)) !== null;
  }

  /**
   * Makes the identifiers of an account's fields anew by the present rules, and its links with them. `settle` drops those
   * that earlier rules made, `add` keeps them. False when there is no such account.
   */
  function rekey(viewer: Viewer, accountId: string, rekeys: 'add' | 'settle'): Promise<boolean> {
    assertMay(viewer, 'account.rebuild');
    return relinkWith(viewer, accountId, { rekeys });
  }

  /** Changes fields of a known account; its links follow. */
  function update(
    viewer: Viewer,
    requestId: string,
    accountId: string,
    changes: AccountChanges,
  ): Promise<ChangedAccount> {
    assertMay(viewer, 'account.update');
    return change(viewer, requestId, accountId, changes, { sessionId: null, listNames: [] });
  }

  /**
   * Stores what look-ups found of an account's email after its change, together with the end of their check. Of an email
   * that the account no longer has nothing is stored.
   */
  async function completeEmailCheck(project: Project, done: EvaluatedCheck): Promise<void> {
    const { check, outcome, evidence, at } = done;
    const { database } = project;
    const accountId = await findClientId(database, check.accountId!);
    const learnt = { mail: evidence?.mail ?? null, providers: evidence?.providers ?? null };
    const options = { sessionId: null, listNames: [], learnt };
    const by = { project, actor: 'email check' };
    try {
      if (accountId === null) throw new CheckEndsAlone('dropped');
      await change(by, check.requestId, accountId, {}, options, null, done);
    } catch (error) {
      if (!(error instanceof CheckEndsAlone)) throw error;
      if (error.how === 'dropped') await dropAccountCheck(database, check.checkId);
      if (error.how === 'ended') {
        const end = { checkId: check.checkId, outcome, at, event: null };
        await database.query(...endAccountCheckCall(project, end));
      }
    }
  }

  /** The end of an email check with what it found. Throws `CheckEndsAlone` where the account does not change. */
  async function checkWrites(
    project: Project,
    transaction: Transaction,
    plan: ChangePlan,
    done: EvaluatedCheck,
  ): Promise<BoundWrites> {
    const { account } = plan.result;
    const isCurrent =
      account.row.id === done.check.accountId && account.personal.email === done.check.input?.email;
    if (!isCurrent) throw new CheckEndsAlone('dropped');
    if (!(await lockPendingCheck(transaction, project.projectId, done.check.checkId)))
      throw new CheckEndsAlone('elsewhere');
    if (!plan.learns) throw new CheckEndsAlone('ended');
    const event = completedEvent(project, account.row.account_id, done, plan.change.now);
    const { outcome, at } = done;
    return {
      events: [event],
      calls: [endAccountCheckCall(project, { checkId: done.check.checkId, outcome, at, event })],
    };
  }

  async function change(
    viewer: Pick<Viewer, 'project' | 'actor'>,
    requestId: string,
    accountId: string,
    changes: AccountChanges,
    asked: ChangeOptions,
    binding: VerificationBinding | null = null,
    emailCheck: EvaluatedCheck | null = null,
  ): Promise<ChangedAccount & { session: Session | null }> {
    const { project } = viewer;
    // Before the transaction: nothing that waits for the outside stands between its locks and its commit.
    const isOpen = await isMailExchangeOpen(changes.email);
    const answers = answersAbout(changes.email);
    const { result, leavesMarks, asks } = await project.database.transaction(async (transaction) => {
      const kinds = binding ? statedKinds(changes, null) : [];
      const stated = statedIdentifiers(project, {
        changes,
        stored: null,
        kinds,
        merge: mergeContext(project, asked),
      });
      const found = await binding?.begin(transaction, { identifiers: stated, fields: changes });
      const options = found?.facts
        ? { ...asked, verification: found.facts, document: found.document }
        : asked;
      const identifiers = found?.identifiers ?? [];
      const context = await readContext(project, transaction, accountId, changes, options, identifiers);
      if (options.sessionId !== null) checkSession(context, binding?.isByCheck ?? false);
      else if (!context.account && emailCheck) throw new CheckEndsAlone('dropped');
      else if (!context.account && !options.imports) throw accountNotFound();
      if (options.rebinds && context.boundScores === null) throw accountNotFound();
      if (context.hasCheck && !binding) throw new SessionHasCheck();
      const { ruled, rules } = await readRules(project, transaction, context, options);
      const plan = planChange(
        {
          project,
          actor: viewer.actor,
          requestId,
          accountId,
          changes,
          options,
          now: clock.now(),
          answers,
        },
        ruled,
        rules,
      );
      const following = await followLinks(project, transaction, plan);
      const partners = await namePartners(project, transaction, plan, binding?.isByCheck ?? false);
      const events = eventsOf(project, plan.result.account, plan.told, partners);
      const finished = emailCheck
        ? await checkWrites(project, transaction, plan, emailCheck)
        : await binding?.finish({ ...plan.result, session: plan.result.session! }, linkedOf(plan, partners));
      const asks = pendingCheckOf(plan, { requestId, isOpen, isOnline: emailProviders?.isOnline ?? false });
      await transaction.commit(
        ...writeStatements(project.database, {
          ...plan.change,
          events: [...events, ...(finished?.events ?? [])],
        }),
        ...(finished?.calls ?? []),
        ...(asks ? [insertAccountCheckCall(project, asks)] : []),
        ...following,
      );
      const leavesMarks = following.length > 0 || plan.change.links.movesIdentity;
      return { result: plan.result, leavesMarks, asks };
    });
    if (leavesMarks) onMarks();
    if (asks) onEmailToCheck(project.projectId, asks);
    return result;
  }

  /** The rules that a session meets, with the lists that they put accounts on. Read again when they have changed. */
  async function readRules(
    { database }: Project,
    transaction: Transaction,
    context: StatedChangeContext,
    { sessionId }: ChangeOptions,
  ): Promise<{ ruled: StatedChangeContext; rules: RuleSet }> {
    if (sessionId === null) return { ruled: context, rules: NO_RULES };
    const rules = await ruleSets.current(database, transaction, context.rulesVersion);
    const lists = await readLists(
      database,
      transaction,
      rules.listNames.filter((name) => !context.namedLists.includes(name)),
    );
    return { ruled: { ...context, lists: [...context.lists, ...lists] }, rules };
  }

  /** What the client calls the accounts to which links came or went, or all that are linked. */
  async function namePartners(
    { database }: Project,
    transaction: Transaction,
    { told: { links } }: ChangePlan,
    isAll: boolean,
  ): Promise<ClientIds> {
    const named = isAll ? links.links : links.added;
    const ids = [...named.map(({ accountId }) => accountId), ...links.removed];
    const rows = ids.length === 0 ? [] : await findClientIds(database, transaction, ids);
    return new Map(rows.map(({ id, account_id }) => [id, account_id]));
  }

  /** What a change does to the links between other accounts. */
  async function followLinks(
    project: Project,
    transaction: Transaction,
    { change: { account, now }, crowds, left }: ChangePlan,
  ) {
    const marks = left ? markLeftCrowds(project, left.identifiers, left.group) : [];
    const following = await followCrowds(project, transaction, crowds, account.account_group, now);
    return [...marks, ...following];
  }

  /** What is known without waiting. Imported files are read here, before anything is locked. */
  function answersAbout(email: string | null | undefined): EmailAnswers {
    const parsed = email ? parseEmail(email) : null;
    return {
      mailOf: (domain) => mailExchangers?.evidence(domain) ?? UNKNOWN_ROUTE,
      providers: parsed?.valid && emailProviders ? emailProviders.lookUpOffline(parsed) : null,
    };
  }

  /**
   * Gives name servers a moment for a domain that is new to this process. Whether they have not answered by then: later
   * they are asked in the background.
   */
  async function isMailExchangeOpen(email: string | null | undefined): Promise<boolean> {
    const domain = email ? parseEmail(email).domain : '';
    if (!mailExchangers || domain === '' || mailExchangers.status(domain) !== 'unknown') return false;
    return Promise.race([
      mailExchangers.settled(domain).then(() => false),
      delay(MAIL_EXCHANGE_WAIT_MS, true, { ref: false }),
    ]);
  }

  async function readContext(
    project: Project,
    transaction: Transaction,
    accountId: string,
    changes: AccountChanges,
    options: ChangeOptions,
    found: readonly IdentifierKey[],
  ): Promise<StatedChangeContext> {
    const accountLock = accountLockOf(project.cipher, accountId);
    const { document = null } = options;
    const stored =
      options.rekeys || dependsOnStored(changes, document)
        ? await lockAndReadAccount(project.database, transaction, accountLock, accountId)
        : null;
    const kinds = options.rekeys ? ALL_CONTACT_KINDS : statedKinds(changes, document);
    const merge = mergeContext(project, options);
    const identifiers = [...statedIdentifiers(project, { changes, stored, kinds, merge }), ...found];
    const domain = identifiers.find(({ kind }) => kind === IDENTIFIER_KINDS.email_domain)?.hash;
    const domainKey = domain && `${project.projectId}:${domain.toString('latin1')}`;
    const ruled = options.sessionId === null ? [] : ruleSets.known(project.projectId).listNames;
    const namedLists = [...new Set([...options.listNames, ...ruled])];
    const context = await lockAndRead(project.database, transaction, {
      accountLock,
      accountId,
      sessionId: options.sessionId,
      group: changes.group ?? null,
      identifiers,
      listNames: namedLists,
      domain: domainKey && crowdedDomains.has(domainKey) ? 'crowded' : (domain ?? 'own'),
    });
    if (domainKey && context.othersFromDomain >= LIMITS.accountsFromDomain)
      crowdedDomains.set(domainKey, true);
    const missing = options.listNames.filter((name) => !context.lists.some((list) => list.name === name));
    const createdLists = await createMissing(project, transaction, missing);
    const lists = [...context.lists, ...(await readLists(project.database, transaction, missing))];
    return { ...context, lists, stated: identifiers, namedLists, createdLists };
  }

  /** Lists that are new to the project are made before anything follows from them: others may be making them too. */
  async function createMissing(
    { database }: Project,
    transaction: Transaction,
    names: readonly string[],
  ): Promise<string[]> {
    if (names.length === 0) return [];
    const now = clock.now();
    const lists = [...new Set(names)].map((name) => ({ listId: newId(now.getTime()), name }));
    return createLists(database, transaction, lists, now);
  }

  /** That of a verification may be bound for as long as its result is there. */
  function checkSession(context: ChangeContext, isVerified: boolean): void {
    const { session } = context;
    if (!session) throw sessionNotFound();
    if (!isVerified && !context.sessionBound && session.expires_at <= clock.now()) throw sessionExpired();
  }

  /** The account with the client's id, or null. */
  async function find(viewer: Viewer, accountId: string): Promise<Account | null> {
    assertMay(viewer, 'account.read');
    if (!isWithin(viewer, { accountId }) || isTooLong(accountId)) return null;
    const row = await findAccountByAccountId(viewer.project.database, accountId);
    return row && new Account(viewer.project, row);
  }

  /** A row with its first links and its latest session, for who may read them all. */
  async function findWithNeighbours(
    viewer: Viewer,
    accountId: string,
    wanted: WantedNeighbours,
  ): Promise<AccountWithNeighbours | null> {
    assertMay(viewer, 'account.read');
    if (isLimited(viewer) || isTooLong(accountId)) return null;
    return findAccountWithNeighbours(viewer.project.database, accountId, wanted);
  }

  /** Erases an account, what it was linked and matched by, and the sessions that belong to nobody else. */
  async function remove(viewer: Viewer, requestId: string, accountId: string): Promise<void> {
    assertMay(viewer, 'account.delete');
    const { project } = viewer;
    const now = clock.now();
    const event = outboxEvent(project.cipher, 'account.deleted', null, { account_id: accountId }, now);
    const erased = await deleteAccountRows(project.database, {
      accountId,
      accountLock: accountLockOf(project.cipher, accountId),
      mailboxesOf: (row) => mailboxesOf(project, row),
      event,
      requestId,
      now,
      audit: {
        auditId: newId(now.getTime()),
        actor: viewer.actor,
        target: `account:${accountMark(project.cipher, accountId).whole}`,
      },
    });
    // What a first erasure left behind, because its gateway ended, is done by the next one.
    const finished = eraseWideAnswers(project.database);
    if (erased === null) {
      await finished;
      throw accountNotFound();
    }
    // Not awaited: these answers are no longer valid, and there may be many.
    finished.catch(() => {});
    onMarks();
    if (erased.length > 0) await onErased(project, erased);
  }

  return {
    authenticate,
    bindVerification,
    rebindVerification,
    completeEmailCheck,
    update,
    importAccount,
    relink,
    rekey,
    find,
    findWithNeighbours,
    remove,
  };
}

/** Of an account whose personal fields cannot be decrypted nobody knows the address. */
function mailboxesOf(project: Project, row: Pick<AccountRow, 'id' | 'personal'>): Buffer[] {
  try {
    const email = parseEmail(openPersonal(project, row).email);
    return isPlaceholderEmail(email.canonical) ? [] : [addressHashOf(project.cipher, email)];
  } catch {
    return [];
  }
}

function ignoreMissingAccount(error: unknown): null {
  if (error instanceof AppError && error.code === accountNotFound().code) return null;
  throw error;
}

/** The accounts that are linked afterwards, as the client calls them. */
function linkedOf({ told: { links } }: ChangePlan, names: ClientIds) {
  return links.links.flatMap(({ accountId, kinds }) => {
    const name = names.get(accountId);
    return name === undefined ? [] : [{ accountId: name, kinds }];
  });
}

const ALL_CONTACT_KINDS: readonly number[] = CONTACT_KINDS.map((kind) => IDENTIFIER_KINDS[kind]);

function statedIdentifiers(
  project: Project,
  {
    changes,
    stored,
    kinds,
    merge,
  }: {
    changes: AccountChanges;
    stored: AccountRow | null;
    kinds: readonly number[];
    merge: MergeContext;
  },
) {
  if (kinds.length === 0) return [];
  const before = stored ? openPersonal(project, stored) : NO_PERSONAL_FIELDS;
  const fields = mergePersonal(before, changes, merge);
  const countries = mergeExpectedCountries(stored?.expected_countries ?? [], changes);
  return contactIdentifiers(fields, countries, merge.blindIndex).filter(({ kind }) => kinds.includes(kind));
}

/** Counted in characters, as where ids are taken. */
function isTooLong(accountId: string): boolean {
  return accountId.length > LIMITS.accountIdLength && [...accountId].length > LIMITS.accountIdLength;
}
