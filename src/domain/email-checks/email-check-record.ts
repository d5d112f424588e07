import type { EmailAssessment } from '../email/email-assessment.ts';
import type { Breach, EmailClaims } from '../email/email-evidence.ts';
import type { EmailBatch, EmailCheck } from './email-check.ts';

/*
 * A result under the names of the REST interface. The same object is answered by REST and is the data of the event, so that
 * a receiver of webhooks and a client that polls can share their code.
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

/** The object that REST answers for a completed check, and that its event carries. */
export function recordOf(projectId: string, check: CompletedEmailCheck): Record<string, unknown> {
  const email = check.input?.email ?? null;
  return {
    request_id: check.checkId,
    batch_id: check.batchId,
    project_id: projectId,
    event_type: 'email.intelligence.completed',
    created_at: check.createdAt.toISOString(),
    completed_at: check.completedAt.toISOString(),
    status: check.status,
    data: {
      input: { email, claims: claimsOf(check.input?.claims ?? null) },
      result: check.assessment && resultOf(check.assessment),
    },
    error: check.error && { email, code: check.error.code, message: check.error.message },
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

/** An assessment under the names of REST; `identity_intelligence` only when it was asked for. */
function resultOf(assessment: EmailAssessment): Record<string, unknown> {
  const { decision, riskScore, signals, domain, email, deliverability, breaches, identity } = assessment;
  const codes = (side: 'trust' | 'risk') =>
    signals.filter((each) => each.side === side).map(({ code }) => code);
  return {
    decision,
    risk_score: riskScore,
    trust_signals: codes('trust'),
    risk_signals: codes('risk'),
    signal_details: signals.map(({ code, side, weight, source, evidence }) => ({
      code,
      side,
      weight,
      source,
      evidence,
    })),
    domain: {
      risk_score: domain.riskScore,
      fqdn: domain.fqdn,
      apex: domain.apex,
      type: domain.type,
      age_years: domain.ageYears,
      country: domain.country,
    },
    email: {
      username: email.username,
      normalized: email.normalized,
      first_seen_at: email.firstSeenAt,
      age_years: email.ageYears,
      seen_countries: email.seenCountries,
    },
    deliverability: {
      risk_score: deliverability.riskScore,
      send_recommendation: deliverability.sendRecommendation,
    },
    breach_intelligence: {
      breach_count: breaches.count,
      trusted_breach_count: breaches.trustedCount,
      breach_list: breaches.list?.map(breachOf) ?? null,
    },
    ...(identity ? { identity_intelligence: identityOf(identity) } : {}),
  };
}

function breachOf({ source, date, trustWeight, country, industry }: Breach) {
  return { source, breach_date: date, trust_weight: trustWeight, country, industry };
}

function identityOf(identity: NonNullable<EmailAssessment['identity']>) {
  return {
    match_risk_score: identity.matchRiskScore,
    online_accounts_count: identity.onlineAccountsCount,
    online_accounts:
      identity.onlineAccounts?.map(({ service, url, since }) => ({ service, url, since })) ?? null,
    connected_names: identity.connectedNames,
    connected_phones: identity.connectedPhones,
    claim_matches: { ...identity.claimMatches },
  };
}

/** The data of the event of a completed batch. */
export function batchRecordOf(batch: EmailBatch): Record<string, unknown> {
  return {
    batch_id: batch.batchId,
    batch_name: batch.name || null,
    status: batch.status,
    total_count: batch.totalCount,
    completed_count: batch.completedCount,
    failed_count: batch.failedCount,
    import_id: batch.importId,
    created_at: batch.createdAt.toISOString(),
    completed_at: batch.completedAt?.toISOString() ?? null,
  };
}
