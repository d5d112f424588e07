/** Goes up with every change of the tables below, so that a stored score tells what it was made with. */
export const EMAIL_WEIGHTS_VERSION = 1;

/**
 * How much each fact speaks for risk, 0..1. Expert priors: set by judgement and not yet measured against outcomes.
 * A relay hides its owner, and so do many honest people; an alias and a role address are common in honest use.
 */
export const RISK_WEIGHTS = {
  disposable_email: 0.7,
  invalid_email: 0.5,
  relay_email: 0.2,
  email_alias: 0.15,
  role_account: 0.1,
} as const;

/** How much each fact speaks for trust, 0..1; expert priors too. Both kinds of institution check who gets a mailbox. */
export const TRUST_WEIGHTS = {
  government_domain: 0.5,
  education_domain: 0.3,
} as const;

export type EmailRiskSignal = keyof typeof RISK_WEIGHTS;
export type EmailTrustSignal = keyof typeof TRUST_WEIGHTS;

/**
 * From −1 (trust) to +1 (risk), 0 without evidence; four decimals. Signals of one side combine by noisy-or, so that
 * each adds and none alone decides; the sides are subtracted.
 */
export function scoreEmail(risks: readonly EmailRiskSignal[], trusts: readonly EmailTrustSignal[]): number {
  const risk = noisyOr(risks.map((signal) => RISK_WEIGHTS[signal]));
  const trust = noisyOr(trusts.map((signal) => TRUST_WEIGHTS[signal]));
  return Math.round((risk - trust) * 10_000) / 10_000;
}

function noisyOr(weights: readonly number[]): number {
  return 1 - weights.reduce((rest, weight) => rest * (1 - weight), 1);
}
