import { DISHONEST_DEVICE_KINDS } from './dishonest-devices.ts';
import { DISHONEST_NETWORK_KINDS } from './dishonest-networks.ts';
import { HONEST_KINDS } from './honest-kinds.ts';
import type { SessionCase, SessionKind, World } from './session-case.ts';

/*
 * The model of the sessions. It was written from the behavior of such people and programs, without regard to
 * codes or weights; networks are selected by public knowledge of their operators, and a fixed share of each
 * fraudulent kind leaves no trace. It is circular nevertheless: addresses are located by the same databases
 * that the service uses, so that their errors are in the model only where stated; the share of exits on an
 * operator's lists is assumed; and traces of tampering and emulators are those of public tools, which the codes
 * were written against.
 */
export const SESSION_KINDS: readonly SessionKind[] = [
  ...HONEST_KINDS,
  ...DISHONEST_NETWORK_KINDS,
  ...DISHONEST_DEVICE_KINDS,
];

/** This number of sessions, the kinds by their weights. */
export function makeCases(world: World, size: number): { kind: SessionKind; made: SessionCase }[] {
  const total = SESSION_KINDS.reduce((sum, { weight }) => sum + weight, 0);
  return SESSION_KINDS.flatMap((kind) =>
    Array.from({ length: Math.round((size * kind.weight) / total) }, () => ({
      kind,
      made: kind.make(world),
    })),
  );
}
