import type { GraphQLSchema } from 'graphql';
import { defaultFieldResolver, type GraphQLObjectType, getNamedType, isObjectType } from 'graphql';
import { Account } from '../../domain/accounts/account.ts';
import type { StoredDecision } from '../../domain/decisions/decision-service.ts';
import type { EmailCheck } from '../../domain/email-checks/email-check.ts';
import type { AnswerSubjects } from '../../domain/idempotency/answer-subjects.ts';
import { Session } from '../../domain/sessions/session.ts';
import type { VerificationKey } from '../../domain/verification/find-verification-service.ts';
import type { GraphQLContext } from './context.ts';

/*
 * Which accounts and sessions an answer contains data of, for answers that are stored. It is collected where objects
 * enter an answer, so that no resolver has to do it. A type is in one of the two tables below; an object of any other
 * type makes the answer wide: new types are safe by default.
 */

type Collect = (value: unknown, subjects: AnswerSubjects) => void;

/** Subjects of the objects of a type, by the values of their properties. */
const byProperties: Collect = (value, subjects) => {
  collectValue(value, subjects);
  const { account, session, node, sessionId, accountId } = value as Record<string, unknown>;
  for (const part of [account, session, node]) collectValue(part, subjects);
  if (typeof sessionId === 'string') subjects.addSession(sessionId);
  if (typeof accountId === 'string') subjects.addAccountId(accountId);
};

function collectValue(value: unknown, subjects: AnswerSubjects): void {
  if (value instanceof Account) subjects.addAccount(value.row.id);
  else if (value instanceof Session) subjects.addSession(value.sessionId);
}

/** The account that a verification was created for may not exist yet. */
const byVerification: Collect = (value, subjects) => {
  const { sessionId, accountId } = value as VerificationKey;
  subjects.addSession(sessionId);
  if (accountId !== null) subjects.mentionAccountId(accountId);
};

const byChangedVerification: Collect = (value, subjects) =>
  byVerification((value as { verification: VerificationKey }).verification, subjects);

const byDecision: Collect = (value, subjects) => {
  const { accountId, sessionId } = value as StoredDecision;
  subjects.addAccount(accountId);
  subjects.addSession(sessionId);
};

/** A row with the internal id of its account. */
const byInternalAccount: Collect = (value, subjects) =>
  subjects.addAccount((value as { accountId: string }).accountId);

const byCheck: Collect = (value, subjects) => {
  const { checkId, accountId } = value as EmailCheck;
  subjects.addEmailCheck(checkId);
  if (accountId !== null) subjects.addAccount(accountId);
};

const byOutcome: Collect = (value, subjects) => {
  const { accountId, outcome } = value as { accountId: string; outcome: string };
  if (outcome === 'NOT_FOUND') subjects.mentionAccountId(accountId);
  else subjects.addAccountId(accountId);
};

/** An account that may not exist yet. */
const byVerb: Collect = (value, subjects) => {
  const { accountId, result } = value as { accountId: string; result: { id: string | null } };
  if (result.id === null) subjects.mentionAccountId(accountId);
  else subjects.addAccount(result.id);
};

const TYPES_WITH_SUBJECTS: Readonly<Record<string, Collect>> = {
  Account: collectValue,
  AccountEdge: byProperties,
  AccountOutcome: byInternalAccount,
  AddToListResult: byOutcome,
  AllowAccountPayload: byVerb,
  ApproveVerificationPayload: byChangedVerification,
  AuthenticateSessionPayload: byProperties,
  BlockAccountPayload: byVerb,
  ClearAccountPayload: byVerb,
  ClearVerificationReviewPayload: byChangedVerification,
  CompleteVerificationCapturePayload: byChangedVerification,
  CreateSessionPayload: byProperties,
  CreateVerificationSessionPayload: byChangedVerification,
  CreateVerificationUploadPayload: byChangedVerification,
  Decision: byDecision,
  EmailCheck: byCheck,
  EnrollFacePayload: byChangedVerification,
  IdentityMatch: byProperties,
  LiftKeepOffResult: byOutcome,
  LinkedAccount: byProperties,
  LinkedAccountEdge: byProperties,
  MoveAccountResult: byOutcome,
  RejectVerificationPayload: byChangedVerification,
  RemoveFromListResult: byOutcome,
  Session: collectValue,
  SessionEdge: byProperties,
  SessionPayload: byProperties,
  SessionScore: byProperties,
  UpdateAccountPayload: byProperties,
  Verification: byVerification,
  VerificationMatch: byProperties,
  VerificationReview: byProperties,
};

/** Types whose own fields contain no personal data, or only of the object that they are a part of. */
const TYPES_WITHOUT_SUBJECTS: ReadonlySet<string> = new Set([
  // Parts of an account, a session or a verification.
  ...[
    'AccountConnection',
    'DecidingList',
    'DecisionTrace',
    'DecisionVersions',
    'DeviceNetworkSignals',
    'DocumentAddress',
  ],
  ...[
    'DocumentData',
    'DocumentSignals',
    'DocumentTemplate',
    'DocumentUserData',
    'EmailFacts',
    'LinkEvidence',
  ],
  ...[
    'KeptOffList',
    'LinkedAccountConnection',
    'PageInfo',
    'ReasonCode',
    'ReasonObservation',
    'RecentCounts',
  ],
  // The history of a number is that of other accounts: it makes an answer wide.
  ...['PhoneCarrier', 'PhoneCheck', 'PhoneHistoryList', 'PhoneSignal'],
  ...['ReferringSessionSignals', 'RequiredVerification'],
  ...['RiskFlagContribution', 'RiskSignalDetails', 'RiskSignalScores', 'RiskSignals', 'RuleReference'],
  ...[
    'SessionBattery',
    'SessionBot',
    'SessionBrowser',
    'SessionCarrier',
    'SessionConnection',
    'SessionCoverage',
  ],
  ...['SessionDevice', 'SessionIntegrity', 'SessionLocation', 'SessionMobile', 'SessionNetwork'],
  ...['VerificationPhotoUrls'],
  // Parts of an email check, and what contains checks.
  ...['CheckEmailPayload', 'CheckEmailsPayload', 'EmailBatch', 'EmailBreach', 'EmailBreaches'],
  ...['EmailCheckConnection', 'EmailCheckEdge', 'EmailCheckError', 'EmailClaimMatches', 'EmailClaims'],
  ...['EmailDeliverability', 'EmailDomain', 'EmailIdentity', 'EmailMailbox', 'EmailProfile', 'EmailResult'],
  ...['EmailBatchCounts', 'EmailSignal', 'TotalCount'],
  // Objects configured by operators.
  ...[
    'AddBacktestMatchesToListPayload',
    'AddBuiltInRulePayload',
    'BuiltInRule',
    'CreateListPayload',
    'CreateRulePayload',
    'CreateWebhookEndpointPayload',
  ],
  ...[
    'DeleteListPayload',
    'DeleteOperationsPayload',
    'DeleteWebhookEndpointPayload',
    'EraseEmailPayload',
    'List',
    'PersistedOperation',
    'Project',
    'ProjectSettings',
    'Rule',
    'RuleAction',
  ],
  ...[
    'RegisterOperationsPayload',
    'RotateWebhookSecretPayload',
    'RuleVersion',
    'RuleVersionConnection',
    'RuleVersionEdge',
    'UpdateListPayload',
    'UpdateEmailDomainsPayload',
    'UpdateProjectSettingsPayload',
  ],
  // Their outcome or account is a separate object.
  ...['AccountOutcomeConnection', 'AccountOutcomeEdge', 'ReportOutcomePayload', 'RetractOutcomePayload'],
  ...['UpdateRulePayload', 'UpdateWebhookEndpointPayload', 'WebhookEndpoint'],
  // Their results name the accounts.
  ...[
    'AddAccountsToListPayload',
    'LiftKeepOffPayload',
    'MoveAccountsPayload',
    'RemoveAccountsFromListPayload',
  ],
  // The account no longer exists: the answer contains nothing but the id that the client sent.
  'DeleteAccountPayload',
  // Its answers are never stored.
  ...['AccountExportRecord', 'ExportAccountPayload'],
  ...['Mutation', 'Query', 'Subscription'],
]);

/** Makes a schema collect the subjects of answers into the `subjects` of their context, where there are any. */
export function collectSubjects(schema: GraphQLSchema): GraphQLSchema {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || type.name.startsWith('__')) continue;
    const collect = TYPES_WITH_SUBJECTS[type.name];
    if (!collect) collectFromFields(type);
    if (!TYPES_WITHOUT_SUBJECTS.has(type.name))
      collectFromObjects(type, collect ?? ((_value, subjects) => subjects.addUnknown()));
  }
  return schema;
}

/** graphql-js asks a type about each object that enters an answer as one of it. */
function collectFromObjects(type: GraphQLObjectType, collect: Collect): void {
  const isTypeOf = type.isTypeOf?.bind(type);
  type.isTypeOf = (value, context: GraphQLContext, info) => {
    if (context.subjects) collect(value, context.subjects);
    return isTypeOf ? isTypeOf(value, context, info) : true;
  };
}

/** Ids of accounts that are plain texts, such as those of the accounts on a list. */
function collectFromFields(type: GraphQLObjectType): void {
  if (type.name === 'DeleteAccountPayload') return;
  for (const field of Object.values(type.getFields())) {
    if (!/^accountIds?$/.test(field.name) || isObjectType(getNamedType(field.type))) continue;
    const resolve = field.resolve ?? defaultFieldResolver;
    field.resolve = async (source, args, context: GraphQLContext, info) => {
      const ids: unknown = await resolve(source, args, context, info);
      for (const id of [ids].flat()) if (typeof id === 'string') context.subjects?.addAccountId(id);
      return ids;
    };
  }
}
