import type { DomainType } from './email-classes.ts';
import type { Breach, OnlineProfile } from './email-evidence.ts';

/** Bands of the score, from trust to risk. */
export const EMAIL_DECISIONS = ['high_trust', 'trusted', 'moderate', 'risky', 'high_risk'] as const;
export type EmailDecision = (typeof EMAIL_DECISIONS)[number];

/** Comparison of a claim with known facts. `skipped`: nothing is claimed or nothing is known. */
export const CLAIM_MATCHES = ['match', 'partial_match', 'no_match', 'skipped'] as const;
export type ClaimMatch = (typeof CLAIM_MATCHES)[number];

export const SEND_RECOMMENDATIONS = ['send', 'send_with_caution', 'do_not_send'] as const;
export type SendRecommendation = (typeof SEND_RECOMMENDATIONS)[number];

/** Signal with its evidence. */
export type AssessedSignal = {
  readonly code: string;
  readonly side: 'trust' | 'risk';
  /** Weight in the score, 0..1. */
  readonly weight: number;
  /** Source: the list, rule, provider or history, such as disposable-email-domains-js. */
  readonly source: string;
  /** Observed evidence, as a short text without personal data beyond the address itself; '' if the code is sufficient. */
  readonly evidence: string;
};

/** Result of a check of an address. Fields without an answering source are null. */
export type EmailAssessment = {
  /** Version of the weights that the score was computed with. */
  readonly weightsVersion: number;
  readonly decision: EmailDecision;
  /** −1 (trust) to 1 (risk), 4 decimals. */
  readonly riskScore: number;
  readonly signals: readonly AssessedSignal[];
  readonly domain: {
    readonly riskScore: number;
    /** Domain of the address in ASCII; '' when there is none. */
    readonly fqdn: string;
    /** Registrable domain; '' when there is none. */
    readonly apex: string;
    readonly type: DomainType;
    readonly ageYears: number | null;
    readonly country: string | null;
  };
  readonly email: {
    readonly username: string;
    /** Canonical form of all spellings of the mailbox. */
    readonly normalized: string;
    readonly firstSeenAt: string | null;
    readonly ageYears: number | null;
    readonly seenCountries: readonly string[];
  };
  readonly deliverability: {
    readonly riskScore: number | null;
    readonly sendRecommendation: SendRecommendation | null;
  };
  readonly breaches: {
    readonly count: number | null;
    readonly trustedCount: number | null;
    readonly list: readonly Breach[] | null;
  };
  /** Null unless requested. */
  readonly identity: {
    readonly matchRiskScore: number | null;
    readonly onlineAccountsCount: number | null;
    readonly onlineAccounts: readonly OnlineProfile[] | null;
    readonly connectedNames: readonly string[];
    /** Masked: all digits but the last two replaced. */
    readonly connectedPhones: readonly string[];
    readonly claimMatches: {
      readonly name: ClaimMatch;
      readonly phone: ClaimMatch;
      readonly country: ClaimMatch;
    };
  } | null;
};
