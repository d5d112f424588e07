/** Goes up with every change of the tables below, so that a stored score tells what it was made with. */
export const EMAIL_WEIGHTS_VERSION = 3;

type SignalFacts = {
  /** How much it speaks for its side, 0..1. */
  weight: number;
  /** What it means, in a sentence. */
  description: string;
};

/**
 * What speaks for risk. Weights are expert priors: set by judgement and not yet measured against outcomes. A relay
 * hides its owner, and so do many honest people; an alias and a role address are common in honest use; a random local
 * part and a lookalike domain can be an honest habit and an honest slip.
 */
const RISKS = {
  invalid_email: {
    weight: 0.5,
    description: 'Not an address that mail can be sent to: the syntax is wrong, or the domain cannot exist.',
  },
  unregistrable_domain: {
    weight: 0.1,
    description: 'The domain ends in no public suffix, so that nobody can have registered it.',
  },
  disposable_email: {
    weight: 0.7,
    description: 'A throw-away mailbox, by the lists of domains that give them out.',
  },
  relay_email: {
    weight: 0.2,
    description: 'A made-up address that a relay service forwards; it lasts, and hides who reads it.',
  },
  email_alias: {
    weight: 0.15,
    description:
      'One of several spellings of a mailbox: a tag, or dots that its provider ignores. One or two dots weigh nothing.',
  },
  role_account: {
    weight: 0.1,
    description: 'A function such as billing or info reads it, not a person.',
  },
  inactive_domain: {
    weight: 0.5,
    description: 'Name servers say that the domain does not exist or takes no mail.',
  },
  lookalike_domain: {
    weight: 0.2,
    description: 'One slip of the hand away from the domain of a large provider, and not that provider.',
  },
  random_local_part: {
    weight: 0.25,
    description: 'Letters and digits before the @ follow each other as in no name or word.',
  },
} as const satisfies Record<string, SignalFacts>;

/**
 * What speaks for trust; expert priors too. Both kinds of institution check who gets a mailbox. An address that this
 * project has long known was not made for today's purpose; the claimed name is free to choose, and costs a liar
 * nothing.
 */
const TRUSTS = {
  government_domain: {
    weight: 0.5,
    description: 'A government gives out the addresses of this domain.',
  },
  education_domain: {
    weight: 0.3,
    description: 'A school or university gives out the addresses of this domain, and is not known to be lax.',
  },
  email_age_greater_than_1_years: {
    weight: 0.1,
    description: 'This project first saw the address more than one year ago.',
  },
  email_age_greater_than_2_years: {
    weight: 0.15,
    description: 'This project first saw the address more than two years ago.',
  },
  email_age_greater_than_5_years: {
    weight: 0.25,
    description: 'This project first saw the address more than five years ago.',
  },
  email_age_greater_than_10_years: {
    weight: 0.3,
    description: 'This project first saw the address more than ten years ago.',
  },
  email_known_online_history: {
    weight: 0.15,
    description:
      'The address came to this project on three or more earlier occasions, the first at least 90 days ago.',
  },
  email_matches_name: {
    weight: 0.05,
    description:
      "The part before the @ holds the account's first and last name, or one and the initial of the other.",
  },
} as const satisfies Record<string, SignalFacts>;

export type EmailRiskSignal = keyof typeof RISKS;
export type EmailTrustSignal = keyof typeof TRUSTS;

/** Every signal of an address with its side, weight and meaning, risk first. */
export const EMAIL_SIGNALS: Readonly<
  Record<EmailRiskSignal | EmailTrustSignal, SignalFacts & { side: 'risk' | 'trust' }>
> = { ...withSide(RISKS, 'risk'), ...withSide(TRUSTS, 'trust') };

/**
 * From −1 (trust) to +1 (risk), 0 without evidence; four decimals. Signals of one side combine by noisy-or, so that
 * each adds and none alone decides; the sides are subtracted.
 */
export function scoreEmail(risks: readonly EmailRiskSignal[], trusts: readonly EmailTrustSignal[]): number {
  const risk = noisyOr(risks.map((signal) => RISKS[signal].weight));
  const trust = noisyOr(trusts.map((signal) => TRUSTS[signal].weight));
  return Math.round((risk - trust) * 10_000) / 10_000;
}

function noisyOr(weights: readonly number[]): number {
  return 1 - weights.reduce((rest, weight) => rest * (1 - weight), 1);
}

function withSide<Name extends string, Side>(
  signals: Record<Name, SignalFacts>,
  side: Side,
): Record<Name, SignalFacts & { side: Side }> {
  const entries = Object.entries<SignalFacts>(signals).map(([name, facts]) => [name, { side, ...facts }]);
  return Object.fromEntries(entries) as Record<Name, SignalFacts & { side: Side }>;
}
