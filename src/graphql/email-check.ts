import {
  type AssessedSignal,
  CLAIM_MATCHES,
  type ClaimMatch,
  EMAIL_DECISIONS,
  type EmailAssessment,
  type EmailDecision,
  SEND_RECOMMENDATIONS,
  type SendRecommendation,
} from '../domain/email/email-assessment.ts';
import type { Breach, EmailClaims, OnlineProfile } from '../domain/email/email-evidence.ts';
import {
  EMAIL_BATCH_STATUSES,
  EMAIL_CHECK_STATUSES,
  type EmailBatch,
  type EmailBatchStatus,
  type EmailCheck,
  type EmailCheckError,
  type EmailCheckStatus,
} from '../domain/email-checks/email-check.ts';
import { asCompleted, recordOf } from '../domain/email-checks/email-check-record.ts';
import { assertMay } from '../domain/projects/assert-may.ts';
import { decodeCursor } from '../platform/cursor.ts';
import { builder } from './builder.ts';
import { pageSize, toPage } from './connection.ts';
import type { GraphQLContext } from './context.ts';

/** Values of an enum in upper case, each with its description. */
function valuesOf<Value extends string>(values: readonly Value[], descriptions: Record<Value, string>) {
  return Object.fromEntries(
    values.map((value) => [value.toUpperCase(), { value, description: descriptions[value] }]),
  ) as Record<Uppercase<Value>, { value: Value; description: string }>;
}

const EmailCheckStatusType = builder.enumType('EmailCheckStatus', {
  description: 'Status of an email check.',
  values: valuesOf<EmailCheckStatus>(EMAIL_CHECK_STATUSES, {
    pending: 'The check is not completed.',
    success: 'The check has a result.',
    error: 'The check failed three times.',
  }),
});

export const EmailBatchStatusType = builder.enumType('EmailBatchStatus', {
  description: 'Status of a batch of email checks.',
  values: valuesOf<EmailBatchStatus>(EMAIL_BATCH_STATUSES, {
    pending: 'No check was started.',
    processing: 'Checks are being completed.',
    completed: 'All checks are completed.',
  }),
});

const EmailDecisionType = builder.enumType('EmailDecision', {
  description: 'Band of the risk score of an email.',
  values: valuesOf<EmailDecision>(EMAIL_DECISIONS, {
    high_trust: 'Below -0.60.',
    trusted: 'From -0.60 to below -0.20.',
    moderate: 'From -0.20 to 0.20.',
    risky: 'Above 0.20, to 0.60.',
    high_risk: 'Above 0.60.',
  }),
});

const EmailClaimMatchType = builder.enumType('EmailClaimMatch', {
  description: 'Comparison of a claim with what is known of the address.',
  values: valuesOf<ClaimMatch>(CLAIM_MATCHES, {
    match: 'The claim agrees.',
    partial_match: 'A part of the claim agrees.',
    no_match: 'The claim disagrees.',
    skipped: 'Nothing is claimed, or nothing is known.',
  }),
});

const EmailSendRecommendationType = builder.enumType('EmailSendRecommendation', {
  description: 'Recommendation for sending mail to an address.',
  values: valuesOf<SendRecommendation>(SEND_RECOMMENDATIONS, {
    send: 'Mail is likely to be delivered.',
    send_with_caution: 'Mail may not be delivered or read.',
    do_not_send: 'Mail cannot be delivered.',
  }),
});

const EmailSignalSide = builder.enumType('EmailSignalSide', {
  description: 'Direction of a signal.',
  values: {
    TRUST: { value: 'trust', description: 'The signal lowers the risk score.' },
    RISK: { value: 'risk', description: 'The signal raises the risk score.' },
  } as const,
});

const EmailSignal = builder.objectRef<AssessedSignal>('EmailSignal').implement({
  description: 'Signal of an email check with its evidence.',
  fields: (t) => ({
    code: t.exposeString('code', { description: 'Code of the signal, such as disposable_email.' }),
    side: t.field({
      type: EmailSignalSide,
      description: 'Direction of the signal.',
      resolve: ({ side }) => side,
    }),
    weight: t.exposeFloat('weight', { description: 'Weight in the risk score, 0 to 1.' }),
    source: t.exposeString('source', {
      description: 'List, rule, provider or history that the signal comes from.',
    }),
    evidence: t.exposeString('evidence', {
      description: 'Observation behind the signal; empty when the code says it all.',
    }),
  }),
});

const EmailDomain = builder.objectRef<EmailAssessment['domain']>('EmailDomain').implement({
  description: 'Domain of a checked address.',
  fields: (t) => ({
    riskScore: t.exposeFloat('riskScore', { description: 'Risk score of the domain alone, -1 to 1.' }),
    fqdn: t.exposeString('fqdn', { description: 'Domain in ASCII; empty when the address has none.' }),
    apex: t.exposeString('apex', { description: 'Registrable domain; empty when the address has none.' }),
    type: t.exposeString('type', {
      description: 'One of personal, business, education, government, relay, inactive; empty when unknown.',
    }),
    ageYears: t.exposeFloat('ageYears', {
      nullable: true,
      description: 'Age of the domain in years; null when unknown.',
    }),
    country: t.exposeString('country', {
      nullable: true,
      description: 'Country of the domain, ISO 3166-1 alpha-2; null when unknown.',
    }),
  }),
});

const EmailMailbox = builder.objectRef<EmailAssessment['email']>('EmailMailbox').implement({
  description: 'Mailbox of a checked address.',
  fields: (t) => ({
    username: t.exposeString('username', { description: 'Part before the @; empty for an invalid address.' }),
    normalized: t.exposeString('normalized', {
      description: 'Address that all spellings of the mailbox have in common.',
    }),
    firstSeenAt: t.exposeString('firstSeenAt', {
      nullable: true,
      description: 'Time or date of the first known sighting, ISO 8601; null when unknown.',
    }),
    ageYears: t.exposeFloat('ageYears', {
      nullable: true,
      description: 'Years since the first known sighting; null when unknown.',
    }),
    seenCountries: t.stringList({
      description: 'Countries of sessions with the address, ISO 3166-1 alpha-2.',
      resolve: ({ seenCountries }) => [...seenCountries],
    }),
  }),
});

const EmailDeliverability = builder
  .objectRef<EmailAssessment['deliverability']>('EmailDeliverability')
  .implement({
    description: 'Likelihood that mail to the address is delivered.',
    fields: (t) => ({
      riskScore: t.exposeFloat('riskScore', {
        nullable: true,
        description: 'Risk that mail is not delivered, 0 to 1; null when unknown.',
      }),
      sendRecommendation: t.field({
        type: EmailSendRecommendationType,
        nullable: true,
        description: 'Recommendation for sending; null when unknown.',
        resolve: (value) => value.sendRecommendation,
      }),
    }),
  });

const EmailBreach = builder.objectRef<Breach>('EmailBreach').implement({
  description: 'Data breach that contains the address.',
  fields: (t) => ({
    source: t.exposeString('source', { description: 'Name of the breach.' }),
    date: t.exposeString('date', { nullable: true, description: 'Date, YYYY-MM-DD; null when unknown.' }),
    trustWeight: t.exposeFloat('trustWeight', {
      description: 'Credibility of the breach, 0 to 1; 1 when its provider verified it.',
    }),
    country: t.exposeString('country', {
      nullable: true,
      description: 'Country, ISO 3166-1 alpha-2; null when unknown.',
    }),
    industry: t.exposeString('industry', { nullable: true, description: 'Industry; null when unknown.' }),
  }),
});

const EmailBreaches = builder.objectRef<EmailAssessment['breaches']>('EmailBreaches').implement({
  description: 'Data breaches that contain the address.',
  fields: (t) => ({
    count: t.exposeInt('count', {
      nullable: true,
      description: 'Number of breaches; null when no provider answered.',
    }),
    trustedCount: t.exposeInt('trustedCount', {
      nullable: true,
      description: 'Number of breaches with a trust weight of at least 0.5; null when no provider answered.',
    }),
    list: t.field({
      type: [EmailBreach],
      nullable: true,
      description: 'Breaches; null when no provider answered.',
      resolve: ({ list }) => list && [...list],
    }),
  }),
});

const EmailProfile = builder.objectRef<OnlineProfile>('EmailProfile').implement({
  description: 'Online profile of the address.',
  fields: (t) => ({
    service: t.exposeString('service', { description: 'Service with the profile, such as gravatar.' }),
    url: t.exposeString('url', {
      nullable: true,
      description: 'Public address of the profile; null when unknown.',
    }),
    since: t.exposeString('since', {
      nullable: true,
      description: 'Creation or first sighting of the profile, YYYY-MM-DD; null when unknown.',
    }),
  }),
});

type Identity = NonNullable<EmailAssessment['identity']>;

const EmailClaimMatches = builder.objectRef<Identity['claimMatches']>('EmailClaimMatches').implement({
  description: 'Comparison of each claim with what is known of the address.',
  fields: (t) => ({
    name: t.field({ type: EmailClaimMatchType, description: 'The name.', resolve: ({ name }) => name }),
    phone: t.field({ type: EmailClaimMatchType, description: 'The phone.', resolve: ({ phone }) => phone }),
    country: t.field({
      type: EmailClaimMatchType,
      description: 'The country.',
      resolve: ({ country }) => country,
    }),
  }),
});

const EmailIdentity = builder.objectRef<Identity>('EmailIdentity').implement({
  description: 'What accounts of the project and online profiles say of the owner of the address.',
  fields: (t) => ({
    matchRiskScore: t.exposeFloat('matchRiskScore', {
      nullable: true,
      description: 'Risk by the comparison of claims, -1 to 1; null when every claim was skipped.',
    }),
    onlineAccountsCount: t.exposeInt('onlineAccountsCount', {
      nullable: true,
      description: 'Number of online profiles; null when no provider answered.',
    }),
    onlineAccounts: t.field({
      type: [EmailProfile],
      nullable: true,
      description: 'Online profiles; null when no provider answered.',
      resolve: ({ onlineAccounts }) => onlineAccounts && [...onlineAccounts],
    }),
    connectedNames: t.stringList({
      description: 'Names of accounts and profiles with the address.',
      resolve: ({ connectedNames }) => [...connectedNames],
    }),
    connectedPhones: t.stringList({
      description: 'Phones of accounts and profiles with the address, masked except for the last two digits.',
      resolve: ({ connectedPhones }) => [...connectedPhones],
    }),
    claimMatches: t.field({
      type: EmailClaimMatches,
      description: 'Comparison of each claim.',
      resolve: ({ claimMatches }) => claimMatches,
    }),
  }),
});

const EmailResult = builder.objectRef<EmailAssessment>('EmailResult').implement({
  description: 'Result of an email check. What no source can answer is null.',
  fields: (t) => ({
    decision: t.field({
      type: EmailDecisionType,
      description: 'Band of the risk score.',
      resolve: ({ decision }) => decision,
    }),
    riskScore: t.exposeFloat('riskScore', { description: 'Risk score, -1 (trust) to 1 (risk), 4 decimals.' }),
    weightsVersion: t.exposeInt('weightsVersion', { description: 'Version of the weights of the score.' }),
    signals: t.field({
      type: [EmailSignal],
      description: 'Signals with their evidence.',
      resolve: ({ signals }) => [...signals],
    }),
    domain: t.field({ type: EmailDomain, description: 'Domain.', resolve: ({ domain }) => domain }),
    mailbox: t.field({ type: EmailMailbox, description: 'Mailbox.', resolve: ({ email }) => email }),
    deliverability: t.field({
      type: EmailDeliverability,
      description: 'Deliverability.',
      resolve: ({ deliverability }) => deliverability,
    }),
    breaches: t.field({ type: EmailBreaches, description: 'Breaches.', resolve: ({ breaches }) => breaches }),
    identity: t.field({
      type: EmailIdentity,
      nullable: true,
      description: 'Identity intelligence; null unless requested.',
      resolve: ({ identity }) => identity,
    }),
  }),
});

const EmailCheckErrorType = builder.objectRef<EmailCheckError>('EmailCheckError').implement({
  description: 'Reason why a check has no result.',
  fields: (t) => ({
    code: t.exposeString('code', { description: 'Stable code, such as email.check_failed.' }),
    message: t.exposeString('message', { description: 'Text that may change.' }),
  }),
});

const EmailClaimsType = builder.objectRef<EmailClaims>('EmailClaims').implement({
  description: 'Name, phone and country that the owner of the address is claimed to have.',
  fields: (t) => ({
    firstName: t.string({
      nullable: true,
      description: 'First name; null when not claimed.',
      resolve: ({ firstName }) => firstName || null,
    }),
    lastName: t.string({
      nullable: true,
      description: 'Last name; null when not claimed.',
      resolve: ({ lastName }) => lastName || null,
    }),
    phone: t.string({
      nullable: true,
      description: 'Phone; null when not claimed.',
      resolve: ({ phone }) => phone || null,
    }),
    country: t.field({
      type: 'CountryCode',
      nullable: true,
      description: 'Country; null when not claimed.',
      resolve: ({ country }) => country || null,
    }),
  }),
});

export const EmailCheckType = builder.objectRef<EmailCheck>('EmailCheck').implement({
  description: 'Check of one email address.',
  fields: (t) => ({
    id: t.id({
      description: 'Id of the check; outside of batches the id of the request that created it.',
      resolve: ({ checkId }) => checkId,
    }),
    batchId: t.id({
      nullable: true,
      description: 'Id of the batch; null outside of batches.',
      resolve: ({ batchId }) => batchId,
    }),
    position: t.exposeInt('position', {
      nullable: true,
      description: 'Place in the batch, from 0; null outside of batches.',
    }),
    status: t.field({ type: EmailCheckStatusType, description: 'Status.', resolve: ({ status }) => status }),
    email: t.string({
      nullable: true,
      description: 'Address as it was sent; null when the stored one cannot be decrypted.',
      resolve: ({ input }) => input?.email ?? null,
    }),
    claims: t.field({
      type: EmailClaimsType,
      nullable: true,
      description: 'Claims; null when nothing is claimed.',
      resolve: ({ input }) => input?.claims ?? null,
    }),
    createdAt: t.field({
      type: 'DateTime',
      description: 'Creation time.',
      resolve: (check) => check.createdAt,
    }),
    completedAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'Completion time; null while pending.',
      resolve: (check) => check.completedAt,
    }),
    result: t.field({
      type: EmailResult,
      nullable: true,
      description: 'Result; null unless the status is SUCCESS.',
      resolve: ({ assessment }) => assessment,
    }),
    error: t.field({
      type: EmailCheckErrorType,
      nullable: true,
      description: 'Reason why there is no result; null unless the status is ERROR.',
      resolve: ({ error }) => error,
    }),
    record: t.field({
      type: 'JSONObject',
      nullable: true,
      description:
        'Completed check under the names of the REST interface: the data of its event; null while pending.',
      resolve: (check, _args, { viewer }) => {
        const completed = asCompleted(check);
        return completed && recordOf(viewer.project.projectId, completed);
      },
    }),
  }),
});

const EmailCheckConnection = builder.connectionObject(
  { type: EmailCheckType, name: 'EmailCheckConnection', description: 'A page of the checks of a batch.' },
  { name: 'EmailCheckEdge', description: 'A check in a page.' },
);

export const EmailBatchType = builder.objectRef<EmailBatch>('EmailBatch').implement({
  description: 'Batch of email checks.',
  fields: (t) => ({
    id: t.id({ description: 'Id of the batch.', resolve: ({ batchId }) => batchId }),
    name: t.string({
      nullable: true,
      description: 'Name; null when it was given none.',
      resolve: ({ name }) => name || null,
    }),
    status: t.field({ type: EmailBatchStatusType, description: 'Status.', resolve: ({ status }) => status }),
    totalCount: t.exposeInt('totalCount', { description: 'Number of checks, at most 1,000.' }),
    completedCount: t.exposeInt('completedCount', {
      description: 'Number of completed checks, those without a result included.',
    }),
    failedCount: t.exposeInt('failedCount', { description: 'Number of completed checks without a result.' }),
    importId: t.id({
      nullable: true,
      description: 'Id of the import that the batch is a part of; null for a batch of its own.',
      resolve: ({ importId }) => importId,
    }),
    identityIntelligence: t.exposeBoolean('identityIntelligence', {
      description: 'Whether results contain identity intelligence.',
    }),
    createdAt: t.field({
      type: 'DateTime',
      description: 'Creation time.',
      resolve: (batch) => batch.createdAt,
    }),
    startedAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'Time at which the first check was started; null before.',
      resolve: (batch) => batch.startedAt,
    }),
    completedAt: t.field({
      type: 'DateTime',
      nullable: true,
      description: 'Completion time; null before.',
      resolve: (batch) => batch.completedAt,
    }),
    checks: t.field({
      type: EmailCheckConnection,
      description:
        'Checks in the order sent. Errors: input.invalid; auth.forbidden for browser tokens when the batch is a part of an import.',
      complexity: ({ first }) => ({ field: 5, multiplier: first ?? 20 }),
      args: {
        first: t.arg.int({ description: 'Number of checks, 1 to 100; 20 by default.' }),
        after: t.arg.string({ description: 'Cursor of the check before the page.' }),
        completedOnly: t.arg.boolean({
          description: 'Whether pending checks are left out; false by default.',
        }),
      },
      resolve: (batch, args, context) => {
        if (batch.importId !== null) assertMay(context.viewer, 'email_check.read_row');
        return checksPage(batch.batchId, args, context);
      },
    }),
  }),
});

type ChecksArgs = { first?: number | null; after?: string | null; completedOnly?: boolean | null };

async function checksPage(batchId: string, args: ChecksArgs, context: GraphQLContext) {
  const size = pageSize(args.first, context);
  const isCompleted = args.completedOnly ?? false;
  const scope = JSON.stringify(['email checks', batchId, isCompleted]);
  const { cipher } = context.viewer.project;
  const after = args.after == null ? -1 : Number(decodeCursor(cipher, scope, args.after)[0]);
  const rows = await context.loaders.emailChecks({ after, isCompleted, limit: size + 1 }).load(batchId);
  return toPage(rows, size, {
    context,
    scope,
    hasPrevious: after >= 0,
    position: ({ position }) => [position ?? 0],
    edge: (node) => ({ node }),
  });
}

const EmailBatchConnection = builder.connectionObject(
  { type: EmailBatchType, name: 'EmailBatchConnection', description: 'A page of batches of email checks.' },
  { name: 'EmailBatchEdge', description: 'A batch in a page.' },
);

builder.queryFields((t) => ({
  emailCheck: t.field({
    type: EmailCheckType,
    nullable: true,
    description:
      'Email check by its id; null when it does not exist. Errors: auth.forbidden for browser tokens that are limited to ' +
      'an account or a session, and for all browser tokens when the check is a row of an import.',
    authScopes: { may: 'email_check.read' },
    args: { id: t.arg.id({ required: true, description: 'Id of the check.' }) },
    resolve: (_root, { id }, context) => context.services.emailChecks.find(context.viewer, String(id)),
  }),
  emailBatch: t.field({
    type: EmailBatchType,
    nullable: true,
    description:
      'Batch of email checks by its id; null when it does not exist. Errors: auth.forbidden for browser tokens that are ' +
      'limited to an account or a session.',
    authScopes: { may: 'email_check.read' },
    args: { id: t.arg.id({ required: true, description: 'Id of the batch.' }) },
    resolve: (_root, { id }, context) => context.services.emailChecks.findBatch(context.viewer, String(id)),
  }),
  emailBatches: t.field({
    type: EmailBatchConnection,
    description:
      'Batches of email checks, the newest first. Errors: input.invalid; auth.forbidden for browser tokens that are ' +
      'limited to an account or a session.',
    authScopes: { may: 'email_check.read' },
    complexity: ({ first }) => ({ field: 5, multiplier: first ?? 20 }),
    args: {
      first: t.arg.int({ description: 'Number of batches, 1 to 100; 20 by default.' }),
      after: t.arg.string({ description: 'Cursor of the batch before the page.' }),
      status: t.arg({ type: EmailBatchStatusType, description: 'Only batches of this status.' }),
    },
    resolve: async (_root, args, context) => {
      const { viewer, services } = context;
      const size = pageSize(args.first, context);
      const status = args.status ?? null;
      const scope = JSON.stringify(['email batches', status]);
      const after =
        args.after == null ? null : String(decodeCursor(viewer.project.cipher, scope, args.after)[0]);
      const rows = await services.emailChecks.list(viewer, { after, status, limit: size + 1 });
      return toPage(rows, size, {
        context,
        scope,
        hasPrevious: after !== null,
        position: ({ batchId }) => [batchId],
        edge: (node) => ({ node }),
      });
    },
  }),
}));
