import { DISHONEST_DEVICE_KINDS } from './dishonest-devices.ts';
import { DISHONEST_NETWORK_KINDS } from './dishonest-networks.ts';
import { HONEST_KINDS } from './honest-kinds.ts';
import type { SessionCase, SessionKind, World } from './session-case.ts';

/*
 * The model of the sessions. It was written from what such people and programs are, without a look at codes or weights;
 * networks are chosen by what their operators are known for, and a stated share of each dishonest kind leaves no trace.
 * Circular nevertheless: addresses are placed by the same databases that the service asks, so that their errors are in
 * the model only where it says so; how many exits the operator's lists have is assumed; and what disguises and
 * emulators leave behind is what public tools leave behind, which the codes were written against.
 */
export const SESSION_KINDS: readonly SessionKind[] = [
  ...HONEST_KINDS,
  ...DISHONEST_NETWORK_KINDS,
  ...DISHONEST_DEVICE_KINDS,
];

/** So many sessions, the kinds by their weights. */
export function makeCases(world: World, size: number): { kind: SessionKind; made: SessionCase }[] {
  const total = SESSION_KINDS.reduce((sum, { weight }) => sum + weight, 0);
  return SESSION_KINDS.flatMap((kind) =>
    Array.from({ length: Math.round((size * kind.weight) / total) }, () => ({
      kind,
      made: kind.make(world),
    })),
  );
}
