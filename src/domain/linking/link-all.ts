import { LIMITS } from '../../platform/limits.ts';
import { IDENTIFIER_KINDS, type IdentifierKind } from '../identifiers/identifier-kinds.ts';
import type { Person } from './compare-persons.ts';
import { applyHistoryLimits } from './history-limits.ts';
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

/** An account with all that it was seen with. */
export type LinkableAccount = {
  readonly id: string;
  /** Accounts are linked inside their group only. */
  readonly group: string;
  /** Also those by which shared mailboxes are known: `written_email`, `first_name`. Others link nobody. */
  readonly identifiers: readonly (Use & { readonly kind: IdentifierKind; readonly value: string })[];
  /** Its holder by the account's fields; absent: compared with nobody. */
  readonly person?: Person;
};

/** A link with the ids of its two accounts, `a` before `b`. */
export type AccountPair = PairLink & { readonly a: string; readonly b: string };

type Holder = Use & { readonly id: string };
type SharedByAll = { kind: LinkingKind; holders: Holder[]; isSharedMailbox: boolean };

/**
 * Every link among the accounts, from scratch: what the stored links have to be, whatever the order in which accounts
 * and identifiers came. Rings larger than what is stored of one account are not looked at.
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

/** What counts of an account's history. Of two that were seen last at the same moment, the smaller value counts. */
function newestOf(identifiers: LinkableAccount['identifiers']): LinkableAccount['identifiers'][number][] {
  const keyed = identifiers.map((identifier) => ({
    identifier,
    kind: IDENTIFIER_KINDS[identifier.kind],
    hash: Buffer.from(identifier.value),
    lastSeen: identifier.lastSeen,
  }));
  return applyHistoryLimits(keyed).kept.map(({ identifier }) => identifier);
}

/** Identifiers that two or more accounts of a group hold, and that not so many hold that they link nobody. */
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
    const most = Math.min(weightOf({ kind, isSharedMailbox }).cap, LIMITS.linksPerAccount + 1);
    return holders.length > 1 && holders.length <= most ? [{ kind, holders, isSharedMailbox }] : [];
  });
}

/** Whether accounts that wrote an email alike have as many different first names as a shared mailbox has. */
function isContradicted(holders: readonly LinkableAccount[]): boolean {
  const held = ({ identifiers }: LinkableAccount, kind: IdentifierKind) =>
    identifiers.find((one) => one.kind === kind)?.value;
  const alike = Map.groupBy(holders, (holder) => held(holder, 'written_email') ?? '');
  alike.delete('');
  return [...alike.values()].some((group) => {
    const names = new Set(group.flatMap((holder) => held(holder, 'first_name') ?? []));
    return names.size >= MIN_NAMES_OF_SHARED_MAILBOX;
  });
}
