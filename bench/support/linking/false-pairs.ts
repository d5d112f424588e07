import { IDENTIFIER_KINDS, type IdentifierKind } from '@vouchgraph/linking';
import { withoutDigits } from './near-equal.ts';
import type { Subject } from './subject.ts';

/** Reasons why two people can be linked by mistake. */
export const CAUSES = [
  'household',
  'kiosk',
  'recycled phone',
  'lookalike email',
  'office',
  'university',
  'carrier',
  'same name',
  'chance',
] as const;
export type Cause = (typeof CAUSES)[number];

const NETWORK_BITS = bitsOf('network', 'subnet');

export function bitsOf(...kinds: readonly IdentifierKind[]): number {
  return kinds.reduce((bits, kind) => bits | (1 << IDENTIFIER_KINDS[kind]), 0);
}

/** Cause of a false link: shared attributes and the identifiers of the link. */
export function causeOf(a: Subject, b: Subject, kinds: number): Cause {
  const shared = new Set(
    a.circumstances.filter((each) => b.circumstances.includes(each)).map((each) => each.split(' ')[0]!),
  );
  const has = (...of: readonly IdentifierKind[]) => (kinds & bitsOf(...of)) !== 0;
  if (shared.has('household')) return 'household';
  if (shared.has('kiosk') && has('device', 'browser')) return 'kiosk';
  if (shared.has('recycled') && has('phone')) return 'recycled phone';
  if (has('email_block')) return 'lookalike email';
  if (kinds & NETWORK_BITS) {
    if (shared.has('office')) return 'office';
    if (shared.has('university')) return 'university';
    if (shared.has('carrier')) return 'carrier';
  }
  return has('name') ? 'same name' : 'chance';
}

/** Number of pairs of different people that each cause could have linked. */
export function countExposed(subjects: readonly Subject[]): Map<Cause, number> {
  const groups = new Map<Cause, Map<string, Subject[]>>();
  const put = (cause: Cause, key: string, subject: Subject) => {
    const ofCause = groups.get(cause) ?? new Map<string, Subject[]>();
    groups.set(cause, ofCause.set(key, [...(ofCause.get(key) ?? []), subject]));
  };
  for (const subject of subjects) {
    const { email, firstName, lastName } = subject.fields;
    for (const each of subject.circumstances) put(causeOfCircumstance(each), each, subject);
    if (email) put('lookalike email', withoutDigits(email.toLowerCase()), subject);
    if (firstName && lastName) put('same name', `${firstName} ${lastName}`.toLowerCase(), subject);
  }
  return new Map(
    [...groups].map(([cause, ofCause]) => [
      cause,
      [...ofCause.values()].reduce((sum, members) => sum + pairsOfTwoPeople(members), 0),
    ]),
  );
}

function causeOfCircumstance(circumstance: string): Cause {
  const kind = circumstance.split(' ')[0]!;
  return kind === 'recycled' ? 'recycled phone' : (kind as Cause);
}

function pairsOfTwoPeople(members: readonly Subject[]): number {
  const ofOne = [...Map.groupBy(members, ({ personId }) => personId).values()];
  return pairsAmong(members.length) - ofOne.reduce((sum, own) => sum + pairsAmong(own.length), 0);
}

export function pairsAmong(count: number): number {
  return (count * (count - 1)) / 2;
}
