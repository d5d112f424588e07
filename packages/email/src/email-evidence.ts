import type { MailExchange, MailRefusal } from './mail-route-adapter.ts';

/*
 * Evidence on an address besides its text, by source. `null` is unknown: no source looked it up, or none answered. It has
 * no effect on the assessment.
 */

/** Claimed name, phone and country of the owner of the address; '' where nothing is claimed. */
export type EmailClaims = {
  readonly firstName: string;
  readonly lastName: string;
  readonly phone: string;
  /** ISO 3166-1 alpha-2 in upper case. */
  readonly country: string;
};

/** Results of name servers about the domain. */
export type MailEvidence = {
  readonly exchange: MailExchange;
  /** Hosts that receive its mail, in lower case without a final dot, preferred ones first; empty if unknown. */
  readonly hosts: readonly string[];
  /** Reason for the exchange `none`: the domain does not exist, or a null MX (RFC 7505) rejects mail; otherwise null. */
  readonly refusal?: MailRefusal | null;
};

/**
 * Stored history of a mailbox in this project, under any spelling of the address. If more than 100 accounts have the
 * mailbox, times, sessions, countries, lists and decisions are those of the 100 newest, and lower bounds.
 */
export type AddressHistory = {
  /** First account, session or check with the address; null when it was never seen before. */
  readonly firstSeen: Date | null;
  readonly lastSeen: Date | null;
  /** Number of sessions and changes of accounts with it. */
  readonly sightings: number;
  /** Number of accounts with the email, counted up to 1,000. */
  readonly accounts: number;
  readonly sessions: number;
  /** Countries of the sessions of its accounts, ISO 3166-1 alpha-2, each once, in their order. */
  readonly countries: readonly string[];
  /** Names of lists that its accounts are on, each once, with the effect of the list. */
  readonly lists: readonly { readonly name: string; readonly effect: 'block' | 'allow' | 'none' }[];
  /** Number of accounts whose latest decision is Fake. */
  readonly fakeAccounts: number;
  /** Names and phones of its newest accounts, at most 10 of each; phones in E.164 where valid. Without placeholders. */
  readonly names: readonly { readonly firstName: string; readonly lastName: string }[];
  readonly phones: readonly string[];
  /** Number of accounts of the project whose email has the same registrable domain, counted up to 1,000. */
  readonly accountsFromDomain: number;
};

/** Source name of a breach whose real name would disclose intimate facts about a person. */
export const SENSITIVE_SOURCE = 'sensitive breach';

/** A breach that a provider found the address in. */
export type Breach = {
  readonly source: string;
  /** YYYY-MM-DD; null when the provider does not report it. */
  readonly date: string | null;
  /** Trust in the breach, 0..1: 1 if its provider verified it. */
  readonly trustWeight: number;
  readonly country: string | null;
  readonly industry: string | null;
};

/** An account elsewhere that a provider found for the address. */
export type OnlineProfile = {
  /** Service that has the profile, such as gravatar. */
  readonly service: string;
  /** Public address of the profile; null when unknown. */
  readonly url: string | null;
  /** Name, phones and country in the profile; '' or empty when it has none. */
  readonly name: string;
  readonly phones: readonly string[];
  readonly country: string;
  /** Creation or first sighting of the profile, YYYY-MM-DD; null when unknown. */
  readonly since: string | null;
};

/** Answers of providers. Each kind is `null` if none of its providers answered. */
export type ProviderEvidence = {
  readonly breaches: readonly Breach[] | null;
  readonly profiles: readonly OnlineProfile[] | null;
  /** Names of the providers that answered, whether or not they know the address, each with its kinds of evidence. */
  readonly answered: readonly {
    readonly provider: string;
    readonly looked: readonly ('breaches' | 'profiles')[];
  }[];
  /** Names of providers that were requested and did not answer. */
  readonly failed: readonly string[];
};

/** Domains that a project lists as disposable or trusted, including their subdomains. */
export type DomainOverrides = {
  readonly disposable: ReadonlySet<string>;
  readonly trusted: ReadonlySet<string>;
};

/** Evidence besides the address that an assessment uses. */
export type EmailEvidence = {
  /** Time of the assessment, from which ages are computed. */
  readonly at: Date;
  readonly mail: MailEvidence | null;
  readonly history: AddressHistory | null;
  readonly providers: ProviderEvidence | null;
  readonly overrides: DomainOverrides;
};

export const NO_OVERRIDES: DomainOverrides = { disposable: new Set(), trusted: new Set() };
