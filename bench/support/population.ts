/*
 * The accounts of the data set as pure functions of a number: they form rings that share a username, so that
 * every stored link follows from stored identifiers. Nearly all rings have nine members (eight links each); a
 * Zipf tail has up to 300. The last half, at most 5,000 accounts, are also linked to account 0, the hub.
 */
const RING = 9;
const MAX_RING = 300;
const HUB_LINKS = 5000;
const FIRST_NAMES = 200;

export type Population = {
  readonly size: number;
  /** Every ring as [first member, number of members]. */
  readonly rings: readonly (readonly [first: number, members: number])[];
  /** The first account that is linked to the hub; accounts from here on are read, never authenticated. */
  readonly firstHubPartner: number;
  ringOf(n: number): number;
  personOf(n: number): Person;
};

export type Person = {
  accountId: string;
  email: string;
  phone: string;
  firstName: string;
  lastName: string;
  username: string;
  /** Own address; 256 accounts share its subnet. */
  ip: string;
  device: string;
};

export function createPopulation(size: number): Population {
  const rings: [number, number][] = [[0, 1]];
  const ringOfAccount = new Uint32Array(size);
  const largest = Math.min(MAX_RING, Math.floor(size / 100));
  for (let first = 1; first < size; ) {
    const members = Math.min(size - first, Math.max(RING, Math.floor(largest / rings.length)));
    ringOfAccount.fill(rings.length, first, first + members);
    rings.push([first, members]);
    first += members;
  }
  return {
    size,
    rings,
    firstHubPartner: size - Math.min(HUB_LINKS, Math.floor(size / 2)),
    ringOf: (n) => ringOfAccount[n]!,
    personOf: (n) => personOf(n, n < size ? `crew${ringOfAccount[n]}` : ''),
  };
}

/** One in three is with a mail provider that thousands share, the others in domains of a few dozen. */
function personOf(n: number, username: string): Person {
  return {
    accountId: `user-${n}`,
    email: `${mailbox(n)}@${n % 3 === 0 ? 'outlook.com' : `mail${n % 3001}.example.com`}`,
    phone: `+1415${String(2_000_000 + n).padStart(7, '0')}`,
    firstName: `First${letters(n % FIRST_NAMES)}`,
    lastName: `Last${letters(Math.floor(n / FIRST_NAMES))}`,
    username,
    ip: `${[90, 86, 81][n % 3]}.${(n >> 16) & 255}.${(n >> 8) & 255}.${n & 255}`,
    device: `device-${n}`,
  };
}

/** Distinct mailboxes: numbered ones would all be near-equal. */
function mailbox(n: number): string {
  return `${letters(n)}.${letters((n * 2_654_435_761) % 2 ** 32)}`;
}

function letters(n: number): string {
  return n.toString(26).replace(/[0-9]/g, (digit) => 'qrstuvwxyz'[Number(digit)]!);
}
