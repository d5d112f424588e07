// cspell:ignore simulat
import { editDistanceWithin } from '@vouchgraph/platform/edit-distance';

const NAMES = ['simulate', 'simulate_decision', 'simulate_risk_score', 'simulate_risk_flags'] as const;
/** Maximum number of wrong letters of a misspelled name. */
const MAX_EDITS = 2;

/** Letters of a name: spellings differ in case and in the characters between words. */
const lettersOf = (name: string): string => name.toLowerCase().replace(/[^a-z]/g, '');

/**
 * The simulation parameter that an unknown one is a misspelling of; null for other parameters. An ignored one would create a real
 * session instead of a simulated one, or another simulated result.
 */
export function meantSimulation(name: string): (typeof NAMES)[number] | null {
  const letters = lettersOf(name);
  const near = NAMES.map(
    (known) => [editDistanceWithin(letters, lettersOf(known), MAX_EDITS), known] as const,
  ).sort(([one], [other]) => one - other)[0]!;
  if (near[0] <= MAX_EDITS) return near[1];
  return /^simulat[eio]/.test(letters) ? 'simulate' : null;
}
