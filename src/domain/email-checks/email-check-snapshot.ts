import type { EmailAssessment, EmailClaims } from '@vouchgraph/email';
import type { EmailBatch, EmailCheck } from '@vouchgraph/email/checks';
import { pick } from '@vouchgraph/platform/pick';

/*
 * A result in its event. REST returns the same object, so that a receiver of webhooks and a client that polls can share
 * their code.
 */

/** A completed check. */
export type CompletedEmailCheck = Omit<EmailCheck, 'status' | 'completedAt'> & {
  readonly status: 'success' | 'error';
  readonly completedAt: Date;
};

/** The check when it is completed, else null. */
export function asCompleted(check: EmailCheck): CompletedEmailCheck | null {
  const { status, completedAt } = check;
  return status === 'pending' || completedAt === null ? null : { ...check, status, completedAt };
}

/** The facts of a completed check, as on REST, with the names of the domain. */
export function checkSnapshot(projectId: string, check: CompletedEmailCheck) {
  const { checkId, batchId, createdAt, completedAt, status, input, assessment, error } = check;
  const email = input?.email ?? null;
  return {
    requestId: checkId,
    batchId,
    projectId,
    eventType: 'email.intelligence.completed',
    createdAt: createdAt.toISOString(),
    completedAt: completedAt.toISOString(),
    status,
    data: {
      input: { email, claims: claimsOf(input?.claims ?? null) },
      result: assessment && resultOf(assessment),
    },
    error: error && { email, code: error.code, message: error.message },
  };
}

function claimsOf(claims: EmailClaims | null) {
  if (claims === null) return null;
  const { firstName, lastName, phone, country } = claims;
  const hasName = firstName !== '' || lastName !== '';
  return {
    name: hasName ? { first: firstName || null, last: lastName || null } : null,
    phone: phone || null,
    country: country || null,
  };
}

const SIGNAL = ['code', 'side', 'weight', 'source', 'evidence'] as const;
const DOMAIN = ['riskScore', 'fqdn', 'apex', 'type', 'ageYears', 'country'] as const;
const EMAIL = ['username', 'normalized', 'firstSeenAt', 'ageYears', 'seenCountries'] as const;
const PROFILE = ['service', 'url', 'since'] as const;

/** An assessment; `identityIntelligence` only if it was requested. */
function resultOf(assessment: EmailAssessment) {
  const { decision, riskScore, signals, deliverability, breaches, identity } = assessment;
  const codes = (side: 'trust' | 'risk') =>
    signals.filter((each) => each.side === side).map(({ code }) => code);
  return {
    decision,
    riskScore,
    trustSignals: codes('trust'),
    riskSignals: codes('risk'),
    signalDetails: signals.map((signal) => pick(signal, SIGNAL)),
    domain: pick(assessment.domain, DOMAIN),
    email: pick(assessment.email, EMAIL),
    deliverability: pick(deliverability, ['riskScore', 'sendRecommendation']),
    breachIntelligence: {
      breachCount: breaches.count,
      trustedBreachCount: breaches.trustedCount,
      breachList:
        breaches.list?.map(({ source, date, ...rest }) => ({
          source,
          breachDate: date,
          ...pick(rest, ['trustWeight', 'country', 'industry']),
        })) ?? null,
    },
    ...(identity ? { identityIntelligence: identityOf(identity) } : {}),
  };
}

function identityOf(identity: NonNullable<EmailAssessment['identity']>) {
  const { matchRiskScore, onlineAccountsCount, onlineAccounts } = identity;
  return {
    matchRiskScore,
    onlineAccountsCount,
    onlineAccounts: onlineAccounts?.map((profile) => pick(profile, PROFILE)) ?? null,
    ...pick(identity, ['connectedNames', 'connectedPhones', 'claimMatches']),
  };
}

/** The facts of a completed batch. */
export function batchSnapshot(batch: EmailBatch) {
  return {
    batchId: batch.batchId,
    batchName: batch.name,
    ...pick(batch, ['status', 'totalCount', 'completedCount', 'failedCount', 'importId']),
    createdAt: batch.createdAt.toISOString(),
    completedAt: batch.completedAt!.toISOString(),
  };
}
