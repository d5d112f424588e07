import { isNearEmail, isNearPhone } from './near-equal.ts';
import type { Subject } from './subject.ts';

/**
 * Attributes that two accounts of one person share, the strongest first; a pair belongs to the first that
 * applies.
 */
const SHARED: readonly (readonly [kind: string, holds: (a: Subject, b: Subject) => boolean])[] = [
  ['same browser', (a, b) => overlaps(a.browsers, b.browsers)],
  ['same phone', (a, b) => a.phone !== '' && a.phone === b.phone],
  ['same mailbox', (a, b) => a.mailbox !== '' && a.mailbox === b.mailbox],
  ['device and address', (a, b) => overlaps(a.devices, b.devices) && overlaps(a.addresses, b.addresses)],
  ['device and near email', (a, b) => overlaps(a.devices, b.devices) && isNearContact(a, b)],
  ['device alone', (a, b) => overlaps(a.devices, b.devices)],
  ['near email', isNearContact],
];

const NOTHING = 'nothing of these';

/** All rows of true pairs, as they are printed. */
export const TRUE_PAIR_KINDS: readonly string[] = ['', 'ring: '].flatMap((prefix) =>
  [...SHARED.map(([kind]) => kind), NOTHING].map((kind) => prefix + kind),
);

export type TruePair = {
  kind: string;
  /** Whether an identifier or a contact, equal or near, connects the two. */
  isLinkable: boolean;
  isOfRing: boolean;
};

export function describeTruePair(a: Subject, b: Subject): TruePair {
  const shared = SHARED.find(([, holds]) => holds(a, b))?.[0];
  const isOfRing = a.origin !== 'person';
  return {
    kind: (isOfRing ? 'ring: ' : '') + (shared ?? NOTHING),
    isLinkable: shared !== undefined,
    isOfRing,
  };
}

function isNearContact(a: Subject, b: Subject): boolean {
  return isNearEmail(a.mailbox, b.mailbox) || isNearPhone(a.phone, b.phone);
}

function overlaps(a: ReadonlySet<string>, b: ReadonlySet<string>): boolean {
  for (const value of a) if (b.has(value)) return true;
  return false;
}
