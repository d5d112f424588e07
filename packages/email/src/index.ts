export { assessEmail } from './assess-email.ts';
export { overridesOf, readMailDomain } from './domain-overrides.ts';
export { type ParsedEmail, parseEmail, spellingOf } from './email-address.ts';
export {
  type AssessedSignal,
  CLAIM_MATCHES,
  type ClaimMatch,
  EMAIL_DECISIONS,
  type EmailAssessment,
  type EmailDecision,
  SEND_RECOMMENDATIONS,
  type SendRecommendation,
} from './email-assessment.ts';
export { EMAIL_DOMAIN_TYPES } from './email-classes.ts';
export {
  type AddressHistory,
  type Breach,
  type DomainOverrides,
  type EmailClaims,
  type EmailEvidence,
  type MailEvidence,
  NO_OVERRIDES,
  type OnlineProfile,
  type ProviderEvidence,
} from './email-evidence.ts';
export { describeEmail, type EmailContext, type EmailFacts } from './email-facts.ts';
export { EMAIL_SIGNALS, EMAIL_WEIGHTS_VERSION, type EmailSignal } from './email-weights.ts';
export { typosOf } from './lookalike-domains.ts';
export { isDisposableHost } from './mail-domain-class.ts';
export { UNKNOWN_ROUTE } from './mail-route-adapter.ts';
export { mailboxKind } from './mailbox-kind.ts';
export { canonicalMailbox } from './mailbox-rules.ts';
export type { EmailProviders } from './providers/email-providers.ts';
export { mergeBreaches, mergeProfiles } from './providers/merge-evidence.ts';
export { isRoleMailbox } from './role-mailbox.ts';
