import { type AppError, forbidden } from '@vouchgraph/platform/errors';
import { Account } from '../../domain/accounts/account.ts';
import { ACCOUNT_ID_SCOPES } from '../../domain/events/event-selection.ts';
import type { Viewer } from '../../domain/projects/access-service.ts';
import { hasScope, keyOnly, scopeMissing } from '../../domain/projects/assert-may.ts';
import { ALL_TOKEN_SCOPES, type TokenScope, VERIFICATION_SCOPES } from '../../domain/projects/token-scope.ts';
import { Session } from '../../domain/sessions/session.ts';

/*
 * Which fields a browser token reads, by its scopes. The table is closed: a type that is missing here is not readable by
 * tokens, so that a new type stays private until it is added. Root fields are authorized by their actions.
 */

/** Scopes of which a token needs one; `never`: keys only. */
export type FieldRule = readonly TokenScope[] | 'never';
type TypeRules = {
  /** Rule of all fields that have none of their own. */
  readonly rule: FieldRule;
  readonly fields?: Readonly<Record<string, FieldRule>>;
};

/** The fields that lead to a value of the type are checked; its own need no more than a token. */
const VALUE: TypeRules = { rule: ALL_TOKEN_SCOPES };
const values = (...types: string[]) => Object.fromEntries(types.map((type) => [type, VALUE]));

const each = (rule: FieldRule, ...fields: string[]) =>
  Object.fromEntries(fields.map((field) => [field, rule]));

const EVENT: TypeRules = {
  rule: ['EVENTS'],
  fields: {
    ...each(ACCOUNT_ID_SCOPES, 'accountId'),
    ...each(['ACCOUNT'], 'account', 'session'),
    ...each(['VERIFICATION_STATE'], 'failure'),
  },
};
/** Events of links name their accounts by keys. */
const LINK_EVENT: TypeRules = {
  rule: ['EVENTS'],
  fields: {
    ...each(['ACCOUNT'], 'accountId', 'account', 'session'),
    ...each('never', 'otherAccount', 'otherAccountId'),
  },
};

export const TOKEN_FIELDS: Readonly<Record<string, TypeRules>> = {
  Account: {
    rule: ['ACCOUNT'],
    fields: {
      ...each(['ACCOUNT', 'LINKS'], 'id', 'accountId', 'accountsLinked'),
      ...each(['LINKS'], 'linkedAccounts'),
      ...each('never', 'decisionTrace', 'decisions', 'identityGroup', 'keptOffLists'),
      ...each('never', 'outcomeLabel', 'reportedOutcomes'),
    },
  },
  List: { rule: 'never', fields: each(['ACCOUNT'], 'id', 'name', 'description', 'effect', 'standard') },
  PhoneCheck: { rule: ['ACCOUNT'], fields: each('never', 'history') },
  ...values('RecentCounts', 'EmailFacts', 'IdNumber', 'PhoneCarrier', 'PhoneSignal'),

  Session: { rule: ['ACCOUNT'] },
  ...values('SessionBattery', 'SessionBot', 'SessionBrowser', 'SessionCarrier', 'SessionCoverage'),
  ...values('SessionDevice', 'SessionIntegrity', 'SessionLocation', 'SessionMobile', 'SessionNetwork'),
  ...values('RiskSignals', 'RiskSignalScores', 'RiskSignalDetails', 'ReasonCode', 'ReasonObservation'),

  LinkGraph: { rule: ['LINKS'] },
  LinkGraphNode: { rule: ['LINKS'] },
  LinkGraphEdge: { rule: ['LINKS'] },
  LinkPath: { rule: ['LINKS'] },
  LinkEvidence: { rule: ['LINKS'] },
  LinkedAccountConnection: { rule: ['LINKS'] },
  LinkedAccountEdge: { rule: ['LINKS'] },

  Verification: {
    rule: ['VERIFICATION_RESULT'],
    fields: {
      ...each(VERIFICATION_SCOPES, 'id', 'sessionId', 'kind'),
      ...each(['VERIFICATION_STATE'], 'state', 'retake', 'failure', 'resultError', 'challenge', 'simulated'),
      ...each(['VERIFICATION_STATE'], 'accountId'),
      ...each(['VERIFICATION_STATE'], 'createdAt', 'expiresAt', 'startedAt', 'completedAt', 'consentAt'),
      ...each(['VERIFICATION_STATE'], 'consentVersion', 'referringSessionId'),
      ...each(['VERIFICATION_RESULT', 'DOCUMENT'], 'documentSignals'),
      ...each(['DOCUMENT'], 'documentData', 'photoUrls', 'videoUrls'),
      ...each(['ACCOUNT'], 'account', 'session', 'listNames'),
      // The referring session can be one of another account.
      ...each('never', 'accountMatches', 'ruleNames', 'referringSession', 'review', 'reviews'),
    },
  },
  DocumentSignals: {
    rule: ['VERIFICATION_RESULT'],
    fields: each(['DOCUMENT'], 'idAge', 'faceAgeEstimate'),
  },
  ...values('VerificationRetake', 'VerificationAssessment', 'RiskFlagContribution'),
  ...values('DeviceNetworkSignals', 'ReferringSessionSignals', 'VerificationPhotoUrls'),
  ...values('DocumentData', 'DocumentTemplate', 'DocumentUserData', 'DocumentAddress'),

  EmailResultSnapshot: { rule: 'never' },
  Event: EVENT,
  AccountLinkedEvent: LINK_EVENT,
  AccountUnlinkedEvent: LINK_EVENT,
  VerificationResultSnapshot: {
    rule: ['VERIFICATION_RESULT'],
    fields: {
      ...each(['ACCOUNT'], 'listNames', 'session'),
      ...each('never', 'ruleNames', 'accountMatches', 'matchCount'),
    },
  },
  ...values('PageInfo', 'TotalCount'),
};

/**
 * Fields that name the account of a session or of a verification: a token of a session does not receive them, whatever its
 * scopes. They are nullable, so that the rest of the object stays.
 */
export const NAMES_ACCOUNT: ReadonlySet<string> = new Set([
  'Session.accountIds',
  ...['Verification.account', 'Verification.accountId', 'Verification.listNames'],
  'VerificationResultSnapshot.listNames',
]);

/** Types by the end of their name: pages lead to objects that are checked themselves, events are cut to the scopes. */
const BY_NAME: readonly (readonly [RegExp, TypeRules])[] = [
  [/(Connection|Edge|Snapshot)$/, VALUE],
  [/Event$/, EVENT],
];

export function tokenRuleOf(typename: string, field: string): FieldRule {
  const rules = TOKEN_FIELDS[typename] ?? BY_NAME.find(([name]) => name.test(typename))?.[1];
  return rules?.fields?.[field] ?? rules?.rule ?? 'never';
}

/** Whether a browser token may refetch objects of a type by their global ids. */
export function mayRefetch(viewer: Viewer, typename: string): boolean {
  if (viewer.kind !== 'browser_token') return true;
  const rule = tokenRuleOf(typename, 'id');
  return rule !== 'never' && hasScope(viewer, rule);
}

/** Throws `auth.forbidden` unless a browser token may read a field of an object. */
export function assertTokenReads(viewer: Viewer, typename: string, field: string, parent: unknown): void {
  const refusal = refusalOfField(viewer, typename, field) ?? refusalOfObject(viewer, parent);
  if (refusal) throw refusal;
}

function refusalOfField(viewer: Viewer, typename: string, field: string): AppError | null {
  const name = `${typename}.${field}`;
  const rule = tokenRuleOf(typename, field);
  if (rule === 'never') return keyOnly(name);
  if (!hasScope(viewer, rule)) return scopeMissing(rule, name);
  if (viewer.sessionId !== undefined && NAMES_ACCOUNT.has(name))
    return forbidden('This token is limited to one session');
  return null;
}

/** An object of another account or session, by whatever field it was reached. */
function refusalOfObject({ accountId, sessionId }: Viewer, parent: unknown): AppError | null {
  if (parent instanceof Account) {
    if (sessionId !== undefined) return forbidden('This token is limited to one session');
    if (accountId !== undefined && parent.row.account_id !== accountId)
      return forbidden('This token is limited to one account');
  }
  const isOther = parent instanceof Session && sessionId !== undefined && parent.sessionId !== sessionId;
  return isOther ? forbidden('This token is limited to one session') : null;
}
