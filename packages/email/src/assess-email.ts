import { compareClaims } from './compare-claims.ts';
import type { EmailAssessment, EmailDecision, SendRecommendation } from './email-assessment.ts';
import type {
  EmailClaims,
  EmailEvidence,
  MailEvidence,
  OnlineProfile,
  ProviderEvidence,
} from './email-evidence.ts';
import { yearsBetween } from './email-history.ts';
import { type EmailReading, localPartOf, readEmail } from './email-reading.ts';
import { EMAIL_WEIGHTS_VERSION, type EmailSignal } from './email-weights.ts';
import { isTrusted } from './presence.ts';

/** An address to assess. */
export type EmailInput = {
  readonly email: string;
  readonly claims: EmailClaims | null;
  readonly identityIntelligence: boolean;
};

/** Bounds of the decision bands; see `decideEmail`. */
export const DECISION_BOUNDS = { highTrust: -0.6, trusted: -0.2, moderate: 0.2, risky: 0.6 } as const;

/** Decision of a score from −1 (trust) to 1 (risk). */
export function decideEmail(score: number): EmailDecision {
  if (score < DECISION_BOUNDS.highTrust) return 'high_trust';
  if (score < DECISION_BOUNDS.trusted) return 'trusted';
  if (score <= DECISION_BOUNDS.moderate) return 'moderate';
  return score <= DECISION_BOUNDS.risky ? 'risky' : 'high_risk';
}

/** Assesses an address with its evidence. Pure: the same input gives the same result. */
export function assessEmail(input: EmailInput, evidence: EmailEvidence): EmailAssessment {
  const { claims } = input;
  const reading = readEmail(input.email, { ...evidence, names: claims });
  const { parsed, domain, firstTrace } = reading;
  return {
    weightsVersion: EMAIL_WEIGHTS_VERSION,
    decision: decideEmail(reading.score),
    riskScore: reading.score,
    signals: reading.signals,
    domain: {
      riskScore: reading.domainScore,
      fqdn: parsed.domain,
      apex: parsed.registrableDomain,
      type: reading.type,
      ageYears: null,
      country: domain?.country ?? null,
    },
    email: {
      username: parsed.local,
      normalized: parsed.canonical,
      firstSeenAt: firstTrace?.at.toISOString() ?? null,
      ageYears: firstTrace && round(yearsBetween(firstTrace.at, evidence.at), 2),
      seenCountries: evidence.history?.countries ?? [],
    },
    deliverability: deliverabilityOf(reading, evidence.mail),
    breaches: breachesOf(evidence.providers),
    identity: input.identityIntelligence ? identityOf(input, reading, evidence) : null,
  };
}

/** Signals that make delivery or reading of mail less likely, with expert priors. */
export const DELIVERY_RISKS: Readonly<Partial<Record<EmailSignal, number>>> = {
  disposable_email: 0.6,
  role_account: 0.2,
  lookalike_domain: 0.5,
  homograph_domain: 0.5,
  random_local_part: 0.2,
  keyboard_run_local_part: 0.2,
};

/**
 * Recommendation for sending. An invalid address and a domain that accepts no mail are refused; without an answer of name
 * servers the recommendation is null.
 */
function deliverabilityOf(
  { parsed, signals, disposable }: EmailReading,
  mail: MailEvidence | null,
): EmailAssessment['deliverability'] {
  if (!parsed.valid || mail?.exchange === 'none') return { riskScore: 1, sendRecommendation: 'do_not_send' };
  if (mail?.exchange !== 'accepts') return { riskScore: null, sendRecommendation: null };
  const risks = signals.flatMap(({ code }) => DELIVERY_RISKS[code as EmailSignal] ?? []);
  const riskScore = 1 - risks.reduce((rest, risk) => rest * (1 - risk), 1);
  const sendRecommendation: SendRecommendation = disposable
    ? 'do_not_send'
    : risks.length > 0
      ? 'send_with_caution'
      : 'send';
  return { riskScore: round(riskScore, 4), sendRecommendation };
}

function breachesOf(providers: ProviderEvidence | null): EmailAssessment['breaches'] {
  const list = providers?.breaches ?? null;
  return {
    count: list === null ? null : list.length,
    trustedCount: list === null ? null : list.filter(isTrusted).length,
    list,
  };
}

function identityOf(
  { claims }: EmailInput,
  { parsed }: EmailReading,
  { providers, history, at }: EmailEvidence,
): NonNullable<EmailAssessment['identity']> {
  const profiles = providers?.profiles ?? null;
  const names = distinct([
    ...(history?.names ?? []).map(({ firstName, lastName }) => `${firstName} ${lastName}`.trim()),
    ...(profiles ?? []).map(({ name }) => name.trim()),
  ]);
  const phones = distinct([
    ...(history?.phones ?? []),
    ...(profiles ?? []).flatMap((profile) => profile.phones),
  ]);
  const countries = distinct([
    ...(history?.countries ?? []),
    ...(profiles ?? []).map(({ country }) => country),
  ]);
  const localPart = localPartOf(parsed);
  const { riskScore, ...claimMatches } = compareClaims(claims, { names, phones, countries, localPart, at });
  return {
    matchRiskScore: riskScore,
    onlineAccountsCount: profiles === null ? null : profiles.length,
    onlineAccounts: profiles?.map(withMaskedPhones) ?? null,
    connectedNames: names,
    connectedPhones: phones.map(maskPhone),
    claimMatches,
  };
}

function distinct(texts: readonly string[]): string[] {
  return [...new Set(texts.filter((text) => text !== ''))];
}

function withMaskedPhones(profile: OnlineProfile): OnlineProfile {
  return { ...profile, phones: profile.phones.map(maskPhone) };
}

/** Replaces all digits but the last two. */
export function maskPhone(phone: string): string {
  const digits = phone.replace(/\D/g, '').length;
  let seen = 0;
  return phone.replace(/\d/g, (digit) => {
    seen += 1;
    return seen > digits - 2 ? digit : '*';
  });
}

function round(value: number, decimals: number): number {
  const factor = 10 ** decimals;
  return Math.round(value * factor) / factor;
}
