import {
  type AssessedSignal,
  type Breach,
  CLAIM_MATCHES,
  type ClaimMatch,
  EMAIL_DECISIONS,
  type EmailAssessment,
  type EmailDecision,
  type EmailSignal as EmailSignalCode,
  type OnlineProfile,
  SEND_RECOMMENDATIONS,
  type SendRecommendation,
} from '@vouchgraph/email';
import { builder } from '../kernel/builder.ts';
import { valuesOf } from '../kernel/enum-values.ts';
import { EmailDomainTypeEnum, EmailSignalCodeEnum } from './email-enums.ts';

export const EmailDecisionType = builder.enumType('EmailDecision', {
  description: 'Band of the risk score of an email address.',
  values: valuesOf<EmailDecision>(EMAIL_DECISIONS, {
    high_trust: 'Risk score below -0.60.',
    trusted: 'Risk score from -0.60 to below -0.20.',
    moderate: 'Risk score from -0.20 to 0.20.',
    risky: 'Risk score above 0.20, up to 0.60.',
    high_risk: 'Risk score above 0.60.',
  }),
});

const EmailClaimMatchType = builder.enumType('EmailClaimMatch', {
  description: 'Comparison of a claim with the facts about the address.',
  values: valuesOf<ClaimMatch>(CLAIM_MATCHES, {
    match: 'Equal claim.',
    partial_match: 'Partly equal claim.',
    no_match: 'Different claim.',
    skipped: 'No claim, or no fact to compare it with.',
  }),
});

export const EmailSendRecommendationType = builder.enumType('EmailSendRecommendation', {
  description: 'Recommendation for sending mail to an address.',
  values: valuesOf<SendRecommendation>(SEND_RECOMMENDATIONS, {
    send: 'Address whose domain accepts mail. The existence of the mailbox is not checked.',
    send_with_caution: 'Address whose mail is possibly not delivered or not read.',
    do_not_send: 'Invalid address, domain that accepts no mail, or disposable domain.',
  }),
});

const EmailSignalSide = builder.enumType('EmailSignalSide', {
  description: 'Direction of a signal.',
  values: {
    TRUST: { value: 'trust', description: 'Signal that lowers the risk score.' },
    RISK: { value: 'risk', description: 'Signal that raises the risk score.' },
  } as const,
});

export const EmailSignal = builder.objectRef<AssessedSignal>('EmailSignal').implement({
  tokenScopes: 'never',
  revealedBy: 'parent',
  subjects: 'none',
  description: 'Signal of an email check with its evidence.',
  fields: (t) => ({
    code: t.field({
      type: EmailSignalCodeEnum,
      description: 'Code of the signal (docs/email-signals.md).',
      resolve: ({ code }) => code as EmailSignalCode,
    }),
    side: t.expose('side', { type: EmailSignalSide, description: 'Direction of the signal.' }),
    weight: t.exposeFloat('weight', { description: 'Weight in the risk score, 0 to 1.' }),
    source: t.exposeString('source', {
      mask: 'none',
      description: 'Source of the signal: a list, a rule, a provider or the history.',
    }),
    evidence: t.string({
      mask: 'sentence',
      nullable: true,
      description: 'Observation. Null if the code alone describes it.',
      resolve: ({ evidence }) => evidence || null,
    }),
  }),
});

export const EmailDomain = builder.objectRef<EmailAssessment['domain']>('EmailDomain').implement({
  tokenScopes: 'never',
  revealedBy: 'parent',
  subjects: 'none',
  description: 'Domain of a checked address.',
  fields: (t) => ({
    riskScore: t.exposeFloat('riskScore', { description: 'Risk score of the domain alone, -1 to 1.' }),
    fqdn: t.string({
      mask: 'domain',
      nullable: true,
      description: 'Domain in ASCII. Null if the address has none.',
      resolve: ({ fqdn }) => fqdn || null,
    }),
    apex: t.string({
      mask: 'domain',
      nullable: true,
      description: 'Registrable domain. Null if the address has none.',
      resolve: ({ apex }) => apex || null,
    }),
    type: t.field({
      type: EmailDomainTypeEnum,
      nullable: true,
      description: 'Kind of domain. Null if unknown.',
      resolve: ({ type }) => type || null,
    }),
    ageYears: t.exposeFloat('ageYears', {
      nullable: true,
      description: 'Age of the domain in years. Null if unknown.',
    }),
    country: t.expose('country', {
      rest: { unknown: 'null' },
      type: 'CountryCode',
      nullable: true,
      description: 'Country of the domain. Null if unknown.',
    }),
  }),
});

const EmailMailbox = builder.objectRef<EmailAssessment['email']>('EmailMailbox').implement({
  tokenScopes: 'never',
  revealedBy: 'parent',
  subjects: 'none',
  description: 'Mailbox of a checked address.',
  fields: (t) => ({
    username: t.string({
      mask: 'name',
      nullable: true,
      description: 'Part before the @. Null for an invalid address.',
      resolve: ({ username }) => username || null,
    }),
    normalized: t.string({
      mask: 'email',
      nullable: true,
      description: 'Normalized address, equal for all spellings of the mailbox. Null for an empty address.',
      resolve: ({ normalized }) => normalized || null,
    }),
    firstSeenAt: t.expose('firstSeenAt', {
      type: 'DateTime',
      nullable: true,
      description: 'Time of the first sighting. Null if unknown.',
    }),
    ageYears: t.exposeFloat('ageYears', {
      nullable: true,
      description: 'Age by the first sighting, in years. Null if unknown.',
    }),
    seenCountries: t.field({
      type: ['CountryCode'],
      description: 'Countries of sessions with the address.',
      resolve: ({ seenCountries }) => [...seenCountries],
    }),
  }),
});

const EmailDeliverability = builder
  .objectRef<EmailAssessment['deliverability']>('EmailDeliverability')
  .implement({
    tokenScopes: 'never',
    subjects: 'none',
    description: 'Likelihood that mail to the address is delivered.',
    fields: (t) => ({
      riskScore: t.exposeFloat('riskScore', {
        nullable: true,
        description: 'Risk that mail is not delivered, 0 to 1. Null if unknown.',
      }),
      sendRecommendation: t.expose('sendRecommendation', {
        rest: { unknown: 'null' },
        type: EmailSendRecommendationType,
        nullable: true,
        description: 'Recommendation for sending. Null if unknown.',
      }),
    }),
  });

const EmailBreach = builder.objectRef<Breach>('EmailBreach').implement({
  tokenScopes: 'never',
  subjects: 'none',
  description: 'Data breach that contains the address.',
  fields: (t) => ({
    source: t.exposeString('source', { mask: 'none', description: 'Name of the breach.' }),
    date: t.expose('date', {
      mask: 'none',
      rest: { key: 'breach_date', unknown: 'null' },
      type: 'Date',
      nullable: true,
      description: 'Day of the breach. Null if unknown.',
    }),
    trustWeight: t.exposeFloat('trustWeight', {
      description: 'Credibility of the breach, 0 to 1. 1 if its provider verified the breach.',
    }),
    country: t.exposeString('country', {
      mask: 'none',
      rest: { unknown: 'null' },
      nullable: true,
      description: 'Country, ISO 3166-1 alpha-2. Null if unknown.',
    }),
    industry: t.exposeString('industry', {
      mask: 'none',
      rest: { unknown: 'null' },
      nullable: true,
      description: 'Industry. Null if unknown.',
    }),
  }),
});

const EmailBreaches = builder.objectRef<EmailAssessment['breaches']>('EmailBreaches').implement({
  tokenScopes: 'never',
  subjects: 'none',
  description: 'Data breaches that contain the address.',
  fields: (t) => ({
    count: t.exposeInt('count', {
      rest: { key: 'breach_count' },
      nullable: true,
      description: 'Number of breaches. Null if no provider answered.',
    }),
    trustedCount: t.exposeInt('trustedCount', {
      rest: { key: 'trusted_breach_count' },
      nullable: true,
      description: 'Number of breaches with a trust weight of at least 0.5. Null if no provider answered.',
    }),
    list: t.field({
      rest: { key: 'breach_list' },
      type: [EmailBreach],
      nullable: true,
      description: 'Breaches. Null if no provider answered.',
      resolve: ({ list }) => list && [...list],
    }),
  }),
});

const EmailProfile = builder.objectRef<OnlineProfile>('EmailProfile').implement({
  tokenScopes: 'never',
  revealedBy: 'parent',
  subjects: 'none',
  description: 'Online profile of the address.',
  fields: (t) => ({
    service: t.exposeString('service', {
      mask: 'none',
      description: 'Service of the profile, such as gravatar.',
    }),
    url: t.exposeString('url', {
      mask: 'text',
      rest: { unknown: 'null' },
      nullable: true,
      description: 'Public URL of the profile. Null if unknown.',
    }),
    since: t.expose('since', {
      mask: 'none',
      rest: { unknown: 'null' },
      type: 'Date',
      nullable: true,
      description: 'Day of the creation or first sighting of the profile. Null if unknown.',
    }),
  }),
});

type Identity = NonNullable<EmailAssessment['identity']>;

const EmailClaimMatches = builder.objectRef<Identity['claimMatches']>('EmailClaimMatches').implement({
  tokenScopes: 'never',
  subjects: 'none',
  description: 'Comparison of each claim with the facts about the address.',
  fields: (t) => ({
    name: t.expose('name', { type: EmailClaimMatchType, description: 'Comparison of the name.' }),
    phone: t.expose('phone', { type: EmailClaimMatchType, description: 'Comparison of the phone number.' }),
    country: t.expose('country', { type: EmailClaimMatchType, description: 'Comparison of the country.' }),
  }),
});

const EmailIdentity = builder.objectRef<Identity>('EmailIdentity').implement({
  tokenScopes: 'never',
  revealedBy: 'parent',
  subjects: 'none',
  description: 'Facts about the owner of the address, from accounts of the project and online profiles.',
  fields: (t) => ({
    matchRiskScore: t.exposeFloat('matchRiskScore', {
      nullable: true,
      description: 'Risk by the comparison of claims, -1 to 1. Null if all claims are skipped.',
    }),
    onlineAccountsCount: t.exposeInt('onlineAccountsCount', {
      nullable: true,
      description: 'Number of online profiles. Null if no provider answered.',
    }),
    onlineAccounts: t.field({
      type: [EmailProfile],
      nullable: true,
      description: 'Online profiles. Null if no provider answered.',
      resolve: ({ onlineAccounts }) => onlineAccounts && [...onlineAccounts],
    }),
    connectedNames: t.stringList({
      mask: 'name',
      description: 'Names of accounts and profiles with the address.',
      resolve: ({ connectedNames }) => [...connectedNames],
    }),
    connectedPhones: t.stringList({
      mask: 'phone',
      description:
        'Phone numbers of accounts and profiles with the address. All but the last two digits are masked.',
      resolve: ({ connectedPhones }) => [...connectedPhones],
    }),
    claimMatches: t.expose('claimMatches', {
      type: EmailClaimMatches,
      description: 'Comparison of each claim.',
    }),
  }),
});

export const EmailResult = builder.objectRef<EmailAssessment>('EmailResult').implement({
  tokenScopes: 'never',
  revealedBy: 'parent',
  subjects: 'none',
  description: 'Result of an email check. A field is null if no source has data for it.',
  fields: (t) => ({
    decision: t.expose('decision', { type: EmailDecisionType, description: 'Band of the risk score.' }),
    riskScore: t.exposeFloat('riskScore', { description: 'Risk score, -1 (trust) to 1 (risk), 4 decimals.' }),
    weightsVersion: t.exposeInt('weightsVersion', { description: 'Version of the weights of the score.' }),
    signals: t.field({
      rest: { key: 'signal_details' },
      type: [EmailSignal],
      description: 'Signals with their evidence.',
      resolve: ({ signals }) => [...signals],
    }),
    domain: t.expose('domain', { type: EmailDomain, description: 'Domain.' }),
    mailbox: t.expose('email', { rest: { key: 'email' }, type: EmailMailbox, description: 'Mailbox.' }),
    deliverability: t.expose('deliverability', { type: EmailDeliverability, description: 'Deliverability.' }),
    breaches: t.expose('breaches', {
      rest: { key: 'breach_intelligence' },
      type: EmailBreaches,
      description: 'Breaches.',
    }),
    identity: t.expose('identity', {
      rest: { key: 'identity_intelligence', unknown: 'absent' },
      type: EmailIdentity,
      nullable: true,
      description: 'Identity intelligence. Null if not requested.',
    }),
  }),
});
