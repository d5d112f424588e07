import { LIMITS } from '@vouchgraph/platform/limits';
import type { Person } from './compare-persons.ts';
import { applyHistoryLimits } from './history-limits.ts';
import { IDENTIFIER_KINDS, type IdentifierKind } from './identifier-kinds.ts';
import { comparedPair, type KnownPerson, knownPerson } from './known-person.ts';
import {
  isLinkingKind,
  LEADING_KINDS,
  type LinkingKind,
  MIN_NAMES_OF_SHARED_MAILBOX,
  type SharedIdentifier,
  type Use,
  weightOf,
} from './link-weights.ts';
import { type PairLink, scorePair } from './pair-score.ts';

/** An account with its identifiers. */
export type LinkableAccount = {
  readonly id: string;
  /** Only accounts of the same group are linked. */
  readonly group: string;
  /** Includes `written_email` and `first_name`, which detect shared mailboxes. Other kinds that do not link are ignored. */
  readonly identifiers: readonly (Use & { readonly kind: IdentifierKind; readonly value: string })[];
  /** Compared fields; absent when the account is not compared. */
  readonly person?: Person;
};

/** A link with the ids of its two accounts, `a` < `b`. */
export type AccountPair = PairLink & { readonly a: string; readonly b: string };

type Holder = Use & { readonly id: string };
type SharedByAll = { kind: LinkingKind; holders: Holder[]; isSharedMailbox: boolean };

/**
 * Computes every link among the accounts from scratch, as a reference for the stored links. The result does not depend on the
 * order of accounts and identifiers. Rings larger than the limit of stored links per account are not supported.
 */
export function linkAll(accounts: readonly LinkableAccount[]): AccountPair[] {
  const shared = new Map<string, SharedIdentifier[]>();
  const isCandidate = new Set<string>();
  for (const { kind, holders, isSharedMailbox } of sharedIdentifiers(accounts)) {
    const leads = LEADING_KINDS.includes(kind);
    for (const [index, mine] of holders.entries()) {
      for (const theirs of holders.slice(index + 1)) {
        const [a, b] = mine.id < theirs.id ? [mine, theirs] : [theirs, mine];
        const pair = `${a.id}\n${b.id}`;
        if (leads) isCandidate.add(pair);
        const list = shared.get(pair) ?? [];
        list.push({ kind, accounts: holders.length, isSharedMailbox, mine: a, theirs: b });
        shared.set(pair, list);
      }
    }
  }
  const links: AccountPair[] = [];
  const persons = new Map(accounts.map((account) => [account.id, personOfAccount(account)]));
  for (const pair of isCandidate) {
    const [a = '', b = ''] = pair.split('\n');
    const list = shared.get(pair)!;
    const link = scorePair(list, comparedPair(list, persons.get(a), persons.get(b)));
    if (link) links.push({ ...link, a, b });
  }
  return links;
}

function personOfAccount({ person, identifiers }: LinkableAccount): KnownPerson | null {
  const numbered = identifiers.map((one) => ({ ...one, kind: IDENTIFIER_KINDS[one.kind] }));
  return person ? knownPerson(person, numbered) : null;
}

/** Identifiers within the history limits. Of two with the same time, the smaller value is kept. */
function newestOf(identifiers: LinkableAccount['identifiers']): LinkableAccount['identifiers'][number][] {
  const keyed = identifiers.map((identifier) => ({
    identifier,
    kind: IDENTIFIER_KINDS[identifier.kind],
    hash: Buffer.from(identifier.value),
    lastSeen: identifier.lastSeen,
  }));
  return applyHistoryLimits(keyed).kept.map(({ identifier }) => identifier);
}

/** Identifiers that at least two accounts of a group share, within their sharing limits. */
function sharedIdentifiers(accounts: readonly LinkableAccount[]): SharedByAll[] {
  const found = new Map<string, { kind: LinkingKind; holders: Holder[] }>();
  const byId = new Map(accounts.map((account) => [account.id, account]));
  for (const { id, group, identifiers } of accounts) {
    for (const { kind, value, firstSeen, lastSeen, uses } of newestOf(identifiers)) {
      if (!isLinkingKind(kind)) continue;
      const key = `${group}\n${IDENTIFIER_KINDS[kind]}\n${value}`;
      const entry = found.get(key) ?? { kind, holders: [] };
      entry.holders.push({ id, firstSeen, lastSeen, uses });
      found.set(key, entry);
    }
  }
  return [...found.values()].flatMap(({ kind, holders }) => {
    const isSharedMailbox = kind === 'email' && isContradicted(holders.map(({ id }) => byId.get(id)!));
    const limit = Math.min(weightOf({ kind, isSharedMailbox }).cap, LIMITS.linksPerAccount + 1);
    return holders.length > 1 && holders.length <= limit ? [{ kind, holders, isSharedMailbox }] : [];
  });
}

/** Whether accounts with the same spelling of an email have enough different first names to make it a shared mailbox. */
function isContradicted(holders: readonly LinkableAccount[]): boolean {
  const identifierOf = ({ identifiers }: LinkableAccount, kind: IdentifierKind) =>
    identifiers.find((one) => one.kind === kind)?.value;
  const bySpelling = Map.groupBy(holders, (holder) => identifierOf(holder, 'written_email') ?? '');
  bySpelling.delete('');
  return [...bySpelling.values()].some((group) => {
    const names = new Set(group.flatMap((holder) => identifierOf(holder, 'first_name') ?? []));
    return names.size >= MIN_NAMES_OF_SHARED_MAILBOX;
  });
}
