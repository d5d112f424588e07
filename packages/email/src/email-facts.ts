import type { DomainType } from './email-classes.ts';
import { type DomainOverrides, NO_OVERRIDES, type ProviderEvidence } from './email-evidence.ts';
import type { EmailHistory } from './email-history.ts';
import { readEmail } from './email-reading.ts';
import { EMAIL_SIGNALS, type EmailRiskSignal, type EmailTrustSignal } from './email-weights.ts';
import type { MailExchange } from './mail-route-adapter.ts';

export type EmailFacts = {
  /** As stored. */
  email: string;
  valid: boolean;
  disposable: boolean;
  /** Whether it is a public mailbox provider, even if it receives no mail at present. */
  personal: boolean;
  domainType: DomainType;
  trustSignals: EmailTrustSignal[];
  riskSignals: EmailRiskSignal[];
  /** −1 (trust) to +1 (risk), 0 neutral. */
  emailScore: number;
};

/** Known evidence besides the address. An absent value is unknown and adds no facts. */
export type EmailContext = {
  mailExchange?: MailExchange;
  /** Hosts of the domain's mail, the preferred ones first. */
  mailHosts?: readonly string[];
  /** Counts only together with `at`. */
  history?: EmailHistory;
  /** Answers of providers about the address. */
  providers?: ProviderEvidence;
  /** Domains that the project lists as disposable or trusted. */
  overrides?: DomainOverrides;
  /** Name of the account; '' if not given. */
  names?: { firstName: string; lastName: string };
  /** Time of the facts. */
  at?: Date;
};

/**
 * Facts of an address from its text, the bundled lists, and further evidence: the view of an account on the engine that
 * checks addresses.
 */
export function describeEmail(email: string, context: EmailContext = {}): EmailFacts {
  const { mailExchange, mailHosts = [], history, providers, overrides = NO_OVERRIDES, names, at } = context;
  const reading = readEmail(email, {
    at: at ?? null,
    mail: mailExchange ? { exchange: mailExchange, hosts: mailHosts } : null,
    history: history ?? null,
    providers: providers ?? null,
    overrides,
    names: names ?? null,
  });
  const codes = reading.signals.map(({ code }) => code);
  return {
    email,
    valid: reading.parsed.valid,
    disposable: reading.disposable,
    personal: reading.personal,
    domainType: reading.type,
    trustSignals: codes.filter((code) => EMAIL_SIGNALS[code].side === 'trust') as EmailTrustSignal[],
    riskSignals: codes.filter((code) => EMAIL_SIGNALS[code].side === 'risk') as EmailRiskSignal[],
    emailScore: reading.score,
  };
}
