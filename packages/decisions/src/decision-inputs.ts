import type { ProjectCipher } from '@vouchgraph/platform/crypto';
import type { Facts } from '@vouchgraph/rules';
import type { AccountScoreParts } from './account-score.ts';
import type { DecidingList, DecisionTrace, Thresholds } from './decide.ts';
import { type PackedFacts, packFacts, unpackFacts } from './decision-facts.ts';
import type { RequiredVerification, RuleReference } from './rule.ts';

/** All inputs of a decision: with the rules of that time it can be repeated. */
export type DecisionInputs = {
  readonly facts: Facts;
  /** `multipleAccounts` by the links alone. */
  readonly parts: AccountScoreParts;
  readonly thresholds: Thresholds;
  /** Lists of the account before the rules acted. */
  readonly lists: readonly DecidingList[];
  /** Existing lists that actions of rules named. */
  readonly known: readonly DecidingList[];
  /** Ids of the rules that matched the account with the session before; absent without one. */
  readonly acted?: readonly string[];
  /** Names of the lists of rules that an operator keeps the account off; absent without one. */
  readonly keptOff?: readonly string[];
  /** Check that an earlier decision requires of the account and that is still open; absent without one. */
  readonly required?: RequiredVerification;
};

/** The decision and its reasons. */
export type DecisionOutcome = {
  readonly trace: DecisionTrace;
  /** Rules that matched, in their order; one that matched the account with the session before did not act again. */
  readonly rules: readonly RuleReference[];
  /** Flags that they raised. */
  readonly flags: readonly string[];
};

type Packed = PackedFacts & {
  readonly inputs: Omit<DecisionInputs, 'facts'>;
  readonly outcome: DecisionOutcome;
};

export function encryptDecision(
  cipher: ProjectCipher,
  decisionId: string,
  { facts, ...inputs }: DecisionInputs,
  outcome: DecisionOutcome,
): Buffer {
  const packed: Packed = { inputs, ...packFacts(facts), outcome };
  return cipher.encryptCompactJson('decisions', decisionId, packed);
}

export function decryptDecision(
  cipher: ProjectCipher,
  decisionId: string,
  encrypted: Uint8Array,
): { inputs: DecisionInputs; outcome: DecisionOutcome } {
  const { inputs, outcome, ...packed } = cipher.decryptExactJson<Packed>('decisions', decisionId, encrypted);
  return { inputs: { ...inputs, facts: unpackFacts(packed) }, outcome };
}

/** The values that a decision's rules read. */
export function decryptFacts(cipher: ProjectCipher, decisionId: string, encrypted: Uint8Array): Facts {
  return unpackFacts(cipher.decryptExactJson<Packed>('decisions', decisionId, encrypted));
}
