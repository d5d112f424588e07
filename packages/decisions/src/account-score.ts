import { LINK_SHARE } from '@vouchgraph/linking';
/*
 * The scores of an account and the resulting decision. All weights are expert priors, versioned with every stored decision.
 * A linked account alone makes an account at most Suspicious.
 */
export const ACCOUNT_WEIGHTS_VERSION = '1';

const WEIGHTS = { riskSignals: 0.9, bot: 0.9, multipleAccounts: 0.6, email: 0.35 } as const;

/** Number of linked accounts, and the product of (1 - 0.6 x score) over them. */
export type LinkStrength = { readonly count: number; readonly miss: number };

export function linkStrength(scores: readonly number[]): LinkStrength {
  return {
    count: scores.length,
    miss: scores.reduce((product, score) => product * (1 - LINK_SHARE * score), 1),
  };
}

/** Likelihood that one person has several accounts, 0 to 1: noisy-or over the links; 0 for a main account. */
export function multipleAccountsScore(links: LinkStrength, isMainAccount: boolean): number {
  return isMainAccount ? 0 : round(1 - links.miss);
}

export type AccountScoreParts = {
  readonly riskSignals: number;
  readonly bot: number;
  readonly multipleAccounts: number;
  readonly email: number;
};

/** The overall risk of an account, 0 to 1: noisy-or of its parts. `email` is -1 (trust) to 1 (risk). */
export function accountScore(parts: AccountScoreParts): number {
  const miss =
    (1 - WEIGHTS.riskSignals * parts.riskSignals) *
    (1 - WEIGHTS.bot * parts.bot) *
    (1 - WEIGHTS.multipleAccounts * parts.multipleAccounts) *
    (1 - WEIGHTS.email * Math.max(0, parts.email));
  return round(1 - miss);
}

function round(value: number): number {
  return Math.round(value * 10_000) / 10_000;
}
