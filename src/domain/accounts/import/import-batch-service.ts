import { LRUCache } from 'lru-cache';
import { LIMITS } from '../../../platform/limits.ts';
import type { Call, Row, Transaction } from '../../../storage/database.ts';
import { unpackRows } from '../../../storage/packed-rows.ts';
import { insertAccountCheckCall } from '../../email-checks/account-check-store.ts';
import type { PendingCheck } from '../../email-checks/email-check-row.ts';
import type { EventOfAccount } from '../../events/insert-events-store.ts';
import { IDENTIFIER_KINDS, kindOfNumber } from '../../identifiers/identifier-kinds.ts';
import type { IdentifierKey } from '../../linking/account-identifiers.ts';
import { knownPerson } from '../../linking/known-person.ts';
import { isLinkingKind } from '../../linking/link-weights.ts';
import { type PersonRow, personOfFields, type ReadPerson, readPersonOf } from '../../linking/read-persons.ts';
import { accountLockOf } from '../../linking/rescore-service.ts';
import { enqueueIdentifiers, findClientIds } from '../../linking/rescore-store.ts';
import type { SharedIdentifierChange } from '../../linking/shared-identifier-changes.ts';
import type { Project } from '../../projects/project.ts';
import { NO_RULES } from '../../rules/rule-set.ts';
import { readLists } from '../account-change-store.ts';
import { type ClientIds, eventsOf } from '../account-events.ts';
import { listCalls } from '../account-lists-store.ts';
import type { ChangeDependencies } from '../authenticate-service.ts';
import type { ChangeInput, StatedChangeContext } from '../change-request.ts';
import { awaitMailExchange, readEmailAnswers } from '../email-answers-adapter.ts';
import { pendingCheckOf } from '../email-check.ts';
import { statedKinds } from '../merge-account.ts';
import { type ChangePlan, planChange } from '../plan-change.ts';
import { statedIdentifiers } from '../read-change-store.ts';
import { createBatchHolders } from './batch-holders.ts';
import {
  countedHolders,
  type GroupedIdentifier,
  groupedKey,
  type Holder,
  isBlock,
  matchesOf,
} from './batch-matches.ts';
import type { ConflictKeys } from './batched-import.ts';
import {
  type BatchScope,
  batchReads,
  holdersOf,
  personsCall,
  writeAccountsCall,
} from './import-batch-store.ts';

/** An account to import, with the identifiers that follow from its fields. */
export type ImportedAccount = { readonly input: ChangeInput; readonly identifiers: readonly IdentifierKey[] };

/**
 * `stored`: stored as a new account. `other`: not a new account, or a change that needs more statements. `again`: depends on an
 * account of its batch, so that a later batch must store it. An error: rejected.
 */
export type ImportOutcome = 'stored' | 'other' | 'again' | Error;

export function importedAccount(input: ChangeInput): ImportedAccount {
  const kinds = statedKinds(input.changes, null);
  return { input, identifiers: statedIdentifiers(input, null, kinds) };
}

/** Identifiers of kinds that link accounts. */
const linkingIdentifiers = ({ identifiers }: ImportedAccount): IdentifierKey[] =>
  identifiers.filter(({ kind }) => isLinkingKind(kindOfNumber(kind)));

/** Cache of data that the batches of an import read. */
export type ImportMemory = {
  /** Identifiers over their sharing limit at the last read, by group. Accounts that share one can be in the same batch. */
  readonly overLimit: Set<string>;
  /** Persons of accounts, with the version of the row from which they were read. */
  readonly persons: LRUCache<string, { readonly version: string; readonly person: ReadPerson }>;
  /** Number of accounts with an email of a domain, by its hash: counted once a minute, and increased by stored accounts. */
  readonly fromDomain: LRUCache<string, number>;
};

const MAX_PERSONS = 200_000;
const MAX_DOMAINS = 20_000;
/** The time for which other changes do not count a domain of many accounts. */
const DOMAIN_TTL_MS = 60_000;

export const createImportMemory = (): ImportMemory => {
  return {
    overLimit: new Set(),
    persons: new LRUCache({ max: MAX_PERSONS }),
    fromDomain: new LRUCache({ max: MAX_DOMAINS, ttl: DOMAIN_TTL_MS, noUpdateTTL: true }),
  };
};

function groupedIdentifiers(account: ImportedAccount): GroupedIdentifier[] {
  const group = groupOf(account);
  return linkingIdentifiers(account).map((one) => ({ ...one, group, key: groupedKey(group, one) }));
}

/**
 * Keys that an account must not share with other accounts that are stored concurrently. Accounts of one batch can share blocking
 * keys: each is compared with the accounts before it in the batch.
 */
export function conflictKeys(account: ImportedAccount, { overLimit }: ImportMemory): ConflictKeys {
  const inBatch = [`account ${account.input.accountId}`];
  const acrossBatches: string[] = [];
  for (const { kind, key } of groupedIdentifiers(account))
    if (!overLimit.has(key)) (isBlock(kind) ? acrossBatches : inBatch).push(key);
  return { inBatch, acrossBatches };
}

type Planned = { readonly plan: ChangePlan; readonly asks: PendingCheck | null; readonly person: ReadPerson };

/**
 * Stores new accounts in one transaction of two round trips, with the same effect as a `changeAccount` for each of them. No two
 * of them may share a linking identifier, except for blocking keys (`conflictKeys`). Links between other accounts are enqueued
 * for recalculation.
 */
export async function importBatch(
  deps: ChangeDependencies,
  project: Project,
  accounts: readonly ImportedAccount[],
  memory: ImportMemory,
): Promise<ImportOutcome[]> {
  const isOpen = await Promise.all(accounts.map(({ input }) => awaitMailExchange(deps, input.changes.email)));
  const done = await project.database.transaction(async (transaction) => {
    const read = await readBatch(deps, project, transaction, accounts, memory);
    const outcomes: ImportOutcome[] = [];
    const planned: Planned[] = [];
    const { now } = read;
    for (const [place, account] of accounts.entries()) {
      const context = read.contextOf(place);
      const plan = typeof context === 'string' ? context : tryPlan(deps, account, context, now);
      outcomes.push(typeof plan === 'string' || plan instanceof Error ? plan : 'stored');
      if (typeof plan === 'string' || plan instanceof Error) continue;
      const person = personOfPlan(plan);
      read.addStored(place, person);
      const { requestId } = account.input;
      const isOnline = deps.emailProviders?.isOnline ?? false;
      const asks = pendingCheckOf(plan, { requestId, isOpen: isOpen[place]!, isOnline });
      planned.push({ plan, asks, person });
    }
    const calls = planned.length === 0 ? [] : await writesOf(project, transaction, accounts, planned, now);
    await transaction.commit(...calls);
    return { outcomes, planned, version: read.version, storedFromDomain: read.storedFromDomain };
  });
  cacheStored(memory, done);
  notify(deps, project, done.planned);
  return done.outcomes;
}

function tryPlan(
  deps: ChangeDependencies,
  { input }: ImportedAccount,
  context: StatedChangeContext,
  now: Date,
): ChangePlan | Error {
  try {
    const answers = readEmailAnswers(deps, input.changes.email);
    return planChange({ ...input, now, answers }, context, NO_RULES);
  } catch (error) {
    return error as Error;
  }
}

type BatchRead = {
  /** Inputs of the account's change, or the reason why it cannot be stored with its batch. */
  contextOf(place: number): StatedChangeContext | 'other' | 'again';
  /** Makes a stored account visible to the following accounts of the batch. */
  addStored(place: number, person: ReadPerson): void;
  /** Time of the changes, taken after the locks. */
  readonly now: Date;
  /** Version of the rows that the transaction writes. */
  readonly version: string;
  /** Number of accounts per counted domain before the batch and in it. */
  readonly storedFromDomain: ReadonlyMap<string, DomainCount>;
};

/** `isCounted`: counted by a statement of this batch, not cached from an earlier one. */
type DomainCount = { readonly before: number; readonly stored: number; readonly isCounted: boolean };

async function readBatch(
  { largeDomains, clock }: ChangeDependencies,
  project: Project,
  transaction: Transaction,
  accounts: readonly ImportedAccount[],
  memory: ImportMemory,
): Promise<BatchRead> {
  const { overLimit } = memory;
  const { database, cipher, projectId } = project;
  const domains = domainsOf(project, largeDomains, accounts, memory);
  const identifiers = accounts.map(groupedIdentifiers);
  const scope = identifiersToRead(identifiers, overLimit);
  const results = await transaction.run(
    ...batchReads(projectId, {
      accountIds: accounts.map(({ input }) => input.accountId),
      accountLocks: accounts.map(({ input }) => accountLockOf(cipher, input.accountId)),
      ...scope,
      domains: domains.uncounted,
    }),
  );
  const [settings = [], , , others = [], matches = [], ended = [], mailboxes = [], counts = []] = results;
  const now = clock.now();
  const names = [...new Set(accounts.flatMap(({ input }) => input.options.listNames))];
  const lists = await readLists(database, transaction, names);
  const known = new Set(others.map(({ account_id }) => account_id));
  const stored = holdersOf(scope.identifiers, matches[0]);
  const endedKeys = new Set(ended.map(({ place }) => scope.overLimit[place - 1]!.key));
  const isApart = noteOverLimit(identifiers, stored, overLimit, endedKeys);
  const found = identifiers.map((own) => matchesOf(own, stored, now));
  const compared = new Set(found.flatMap((one) => [...one.compared]));
  const persons = await readPersons(project, transaction, versionsOf(matches[0], compared), memory);
  const namesOfEmail = Map.groupBy(mailboxes, ({ place }) => scope.emails[place - 1]!.key);
  const countStored = ({ key }: GroupedIdentifier) =>
    overLimit.has(key) ? Number.POSITIVE_INFINITY : (stored.get(key)?.length ?? 0);
  const holders = createBatchHolders();
  domains.addCounted(counts);
  return {
    now,
    version: settings[0].version,
    storedFromDomain: domains.storedFrom,
    contextOf(place) {
      const account = accounts[place]!;
      const { accountId, options } = account.input;
      const hasLists = options.listNames.every((name) => lists.some((list) => list.name === name));
      if (known.has(accountId) || !hasLists || !isApart(place)) return 'other';
      const own = identifiers[place]!;
      const inBatch = holders.matchesOf(own.filter(isBlockOf), countStored, now);
      if (!inBatch) return 'again';
      const { matches, compared } = found[place]!;
      return {
        ...NEW_ACCOUNT,
        matches: [...matches, ...inBatch.matches],
        persons: [...[...compared].flatMap((id) => persons.get(id) ?? []), ...inBatch.persons],
        mailboxes: own.flatMap(({ key, hash }) =>
          (namesOfEmail.get(key) ?? []).map(({ written, names }) => ({ email: hash, written, names })),
        ),
        othersFromDomain: domains.count(domainOf(account)),
        lists: lists.filter(({ name }) => options.listNames.includes(name)),
        stated: account.identifiers,
        namedLists: options.listNames,
      };
    },
    addStored(place, person) {
      holders.add(identifiers[place]!.filter(isBlockOf), person);
      domains.addStored(domainOf(accounts[place]!));
    },
  };
}

/** Numbers of accounts with an email of each domain of a batch, cached or counted. */
function domainsOf(
  { projectId }: Project,
  largeDomains: ChangeDependencies['largeDomains'],
  accounts: readonly ImportedAccount[],
  { fromDomain }: ImportMemory,
) {
  const storedFrom = new Map<string, DomainCount>();
  const uncounted = new Map<string, Buffer>();
  const domainKey = (domain: Buffer) => `${projectId}:${keyOf(domain)}`;
  for (const domain of accounts.flatMap((account) => domainOf(account) ?? [])) {
    const before = fromDomain.get(keyOf(domain));
    if (before !== undefined) storedFrom.set(keyOf(domain), { before, stored: 0, isCounted: false });
    else if (!largeDomains.has(domainKey(domain))) uncounted.set(keyOf(domain), domain);
  }
  return {
    storedFrom,
    uncounted: [...uncounted.values()],
    addCounted(counts: readonly Row[]): void {
      for (const { hash, accounts: before } of counts)
        storedFrom.set(keyOf(hash), { before, stored: 0, isCounted: true });
    },
    count(domain: Buffer | undefined): number {
      if (!domain) return 0;
      const known = storedFrom.get(keyOf(domain));
      const count = known ? known.before + known.stored : LIMITS.accountsFromDomain;
      if (count >= LIMITS.accountsFromDomain) largeDomains.set(domainKey(domain), true);
      return count;
    },
    addStored(domain: Buffer | undefined): void {
      const known = domain && storedFrom.get(keyOf(domain));
      if (domain && known) storedFrom.set(keyOf(domain), { ...known, stored: known.stored + 1 });
    },
  };
}

/** Distinct identifiers of the accounts: within their sharing limits, over them, and the emails. */
function identifiersToRead(
  ofAccounts: readonly (readonly GroupedIdentifier[])[],
  overLimit: ReadonlySet<string>,
): Pick<BatchScope, 'identifiers' | 'overLimit' | 'emails'> {
  const all = [...new Map(ofAccounts.flat().map((one) => [one.key, one])).values()];
  const identifiers = all.filter(({ key }) => !overLimit.has(key));
  const emails = identifiers.filter(({ kind }) => kind === IDENTIFIER_KINDS.email);
  return { identifiers, overLimit: all.filter(({ key }) => overLimit.has(key)), emails };
}

/** Versions of the accounts to compare with. An account that was erased since has none. */
function versionsOf({ versions }: Row, compared: ReadonlySet<string>): Map<string, string> {
  const rows = unpackRows(versions) as [id: string, version: string][];
  return new Map(rows.filter(([id]) => compared.has(id)));
}

/** Persons of the accounts to compare with. One trip for those that are not cached. */
async function readPersons(
  project: Project,
  transaction: Transaction,
  versions: ReadonlyMap<string, string>,
  { persons }: ImportMemory,
): Promise<Map<string, ReadPerson>> {
  const found = new Map<string, ReadPerson>();
  const unknown: string[] = [];
  for (const [id, version] of versions) {
    const known = persons.get(id);
    if (known?.version === version) found.set(id, known.person);
    else unknown.push(id);
  }
  if (unknown.length === 0) return found;
  const [rows = []] = await transaction.run(personsCall(project.projectId, unknown));
  for (const row of rows as PersonRow[]) {
    const person = readPersonOf(project, row);
    found.set(person.id, person);
    persons.set(person.id, { version: versions.get(person.id)!, person });
  }
  return found;
}

/**
 * Updates the set of identifiers over their sharing limit. Returns whether an account can be stored with its batch. An account
 * that shares an identifier within the limit, other than a blocking key, with an earlier account of the batch depends on that
 * account. An account whose identifier is no longer over the limit (`ended`) has only a shared lock of it.
 */
function noteOverLimit(
  identifiers: readonly (readonly GroupedIdentifier[])[],
  stored: ReadonlyMap<string, readonly Holder[]>,
  overLimit: Set<string>,
  ended: ReadonlySet<string>,
): (place: number) => boolean {
  for (const key of ended) overLimit.delete(key);
  const seen = new Set<string>();
  const dependent = new Set<number>();
  for (const [place, own] of identifiers.entries()) {
    for (const { kind, key } of own) {
      if ((stored.get(key)?.length ?? 0) >= countedHolders(kind)) overLimit.add(key);
      if (overLimit.has(key)) continue;
      if (ended.has(key) || (seen.has(key) && !isBlock(kind))) dependent.add(place);
      seen.add(key);
    }
  }
  return (place) => !dependent.has(place);
}

const isBlockOf = ({ kind }: GroupedIdentifier) => isBlock(kind);

const NEW_ACCOUNT = {
  ...{ mine: [], links: [], partnerIds: new Map<string, string>() },
  ...{
    account: null,
    session: null,
    trace: null,
    past: null,
    velocity: null,
    boundScores: null,
    waiting: null,
  },
  ...{ sessionBound: false, hasCheck: false, keepsEarlierKeys: false, rulesVersion: 0 },
  ...{ actedRules: [], keptOff: [], createdLists: [] },
};

const keyOf = (hash: Buffer) => hash.toString('latin1');
const domainOf = ({ identifiers }: ImportedAccount) =>
  identifiers.find(({ kind }) => kind === IDENTIFIER_KINDS.email_domain)?.hash;
const groupOf = ({ input }: ImportedAccount) => input.changes.group ?? '';

/** Trip 2: all writes of the batch. A trip before it reads the client ids of linked accounts, if there are any. */
async function writesOf(
  project: Project,
  transaction: Transaction,
  accounts: readonly ImportedAccount[],
  planned: readonly Planned[],
  now: Date,
): Promise<Call[]> {
  const { database, projectId } = project;
  const { requestId } = accounts[0]!.input;
  const ids = [
    ...new Set(planned.flatMap(({ plan }) => plan.eventInput.links.added.map(({ accountId }) => accountId))),
  ];
  const inBatch = new Map(
    planned.map(({ plan: { change } }) => [change.account.id, change.account.account_id]),
  );
  const stored = ids.filter((id) => !inBatch.has(id));
  const rows = stored.length === 0 ? [] : await findClientIds(database, transaction, stored);
  const partners: ClientIds = new Map([
    ...inBatch,
    ...rows.map(({ id, account_id }) => [id, account_id] as const),
  ]);
  const events = planned.flatMap(({ plan: { result, eventInput } }): EventOfAccount[] =>
    eventsOf(project, result.account, eventInput, partners).map((event) => {
      return { ...event, accountId: result.account.row.id };
    }),
  );
  const changes = planned.map(({ plan }) => plan.change);
  const { settingsVersion } = project;
  return [
    writeAccountsCall(projectId, { requestId, now, settingsVersion, changes, events }),
    ...changes.flatMap(({ account: { id }, lists }) =>
      listCalls(projectId, { id, sessionId: null, requestId, now }, lists),
    ),
    ...planned.flatMap(({ asks }) => (asks ? [insertAccountCheckCall(project, asks)] : [])),
    ...enqueueCalls(projectId, planned),
  ];
}

/** Statements that enqueue recalculations of shared identifiers, one per account group. */
function enqueueCalls(projectId: string, planned: readonly Planned[]): Call[] {
  const byGroup = new Map<string, SharedIdentifierChange[]>();
  for (const { plan } of planned) {
    const { account_group: group } = plan.change.account;
    if (plan.sharing.crossed.length === 0) continue;
    byGroup.set(group, [...(byGroup.get(group) ?? []), ...plan.sharing.crossed]);
  }
  return [...byGroup].map(([group, crossed]) => enqueueIdentifiers(projectId, crossed, group));
}

/** Caches the stored accounts for later batches. */
function cacheStored(
  { persons, fromDomain }: ImportMemory,
  {
    planned,
    version,
    storedFromDomain,
  }: { planned: readonly Planned[] } & Pick<BatchRead, 'version' | 'storedFromDomain'>,
): void {
  for (const { person } of planned) persons.set(person.id, { version, person });
  // Concurrent batches have added their accounts. The next batch counts a domain again whose count has expired.
  for (const [key, { before, stored, isCounted }] of storedFromDomain) {
    const known = fromDomain.get(key) ?? (isCounted ? before : null);
    if (known !== null) fromDomain.set(key, known + stored);
  }
}

/** The person of a planned account, without decrypting its stored row. */
function personOfPlan({ result: { account }, change }: ChangePlan): ReadPerson {
  const person = knownPerson(personOfFields(account.personal), change.identifiers.written);
  return { id: account.row.id, person };
}

/** Notifies the workers after the commit. */
function notify(deps: ChangeDependencies, project: Project, planned: readonly Planned[]): void {
  const needsRecalculation = planned.some(({ plan: { change, sharing } }) => {
    return change.links.movesIdentity || change.links.rescored.length > 0 || sharing.crossed.length > 0;
  });
  if (needsRecalculation) deps.onRecalculationDue();
  for (const { asks } of planned) if (asks) deps.onEmailToCheck(project.projectId, asks);
}
