import { IDENTIFIER_KINDS } from '@vouchgraph/linking';
import { LIMITS } from '@vouchgraph/platform/limits';
import type { Row, Transaction } from '../../../storage/database.ts';
import { unpackRows } from '../../../storage/packed-rows.ts';
import { type PersonRow, type ReadPerson, readPersonOf } from '../../linking/read-persons.ts';
import { accountLockOf } from '../../linking/rescore-service.ts';
import type { Project } from '../../projects/project.ts';
import { readLists } from '../account-change-store.ts';
import { createBatchHolders } from '../batch-holders.ts';
import { countedHolders, type GroupedIdentifier, type Holder, isBlock, matchesOf } from '../batch-matches.ts';
import type { RequestedChangeContext } from '../change-request.ts';
import type { ChangeReads } from '../read-change-store.ts';
import { type BatchScope, batchReads, holdersOf, personsCall } from './import-batch-store.ts';
import { domainOf, groupedIdentifiers, type ImportedAccount, type ImportMemory } from './imported-account.ts';

/** Inputs of the changes of a batch. */
export type BatchRead = {
  /** Inputs of the account's change, or the reason why it cannot be stored with its batch. */
  contextOf(place: number): RequestedChangeContext | 'other' | 'again';
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

/** Locks and reads what the changes of a batch depend on, with one trip, and two more for lists and persons. */
export async function readBatch(
  { largeDomains, clock }: Pick<ChangeReads, 'largeDomains' | 'clock'>,
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
        requested: account.identifiers,
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
  largeDomains: ChangeReads['largeDomains'],
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
 * Updates the set of identifiers over their sharing limit. Returns whether an account can be stored with its batch. An
 * account that shares an identifier within the limit, other than a blocking key, with an earlier account of the batch
 * depends on that account. An account whose identifier is no longer over the limit (`ended`) has only a shared lock of it.
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
    pendingMembership: null,
    referringSessionId: null,
  },
  ...{ sessionBound: false, hasCheck: false, hasStaleKeys: false, rulesVersion: 0 },
  ...{ actedRules: [], keptOff: [], createdLists: [] },
};

const keyOf = (hash: Buffer) => hash.toString('latin1');
