import { type JsonSchema, score } from './json-schema.ts';
import type { Unknown } from './rest-description.ts';

/*
 * Fields of the schema whose documented form on REST is an exception.
 *
 * The rules without an exception: a key is the name of the field in snake_case. Text that is unknown is null in the schema
 * and "" on REST. Numbers, booleans, objects, ids and timestamps that are unknown are null on both. The description, the
 * type and the words of an enum are those of the schema. Aliases in operations/*.graphql are exceptions of names; parts of
 * the rows (answer-parts.ts) are exceptions of shapes. An exception of a type's field applies in every object of the type, one
 * with the field around it only there.
 */

export type FormException = {
  /**
   * Documented value of an unknown field.
   * - `null`: null, although it is text.
   * - `empty`: "", although it is no text.
   * - `absent`: the key is absent.
   * - `never`: a row that shows the field refuses an unknown value.
   */
  unknown?: Unknown;
  /** Object in the place of an unknown one. */
  default?: Readonly<Record<string, unknown>>;
  /** A date as MM/DD/YYYY instead of YYYY-MM-DD; "" when it is unknown. */
  isUsDate?: true;
  /** A key that cannot be an alias. */
  key?: string;
  /** Description in the place of that of the schema. */
  description?: string;
  /** Schema of a value that is JSON in the schema. */
  schema?: JsonSchema;
};

/** Of a request without a referring session. */
const NO_REFERRING_SESSION = {
  impossible_travel: 0,
  ip_mismatch: 0,
  user_agent_mismatch: 0,
  device_timezone_mismatch: 0,
  ip_timezone_mismatch: 0,
};

const MATCH_KINDS = 'Types of evidence of the link.';

/** By `Type.field` of the schema. */
export const FORM_EXCEPTIONS: Readonly<Record<string, FormException>> = {
  'Account.dateOfBirth': {
    unknown: 'absent',
    description: 'Date of birth that the client sent, YYYY-MM-DD. Absent if unknown.',
  },
  'Account.emailFacts': { description: 'Facts about the email address of the account.' },
  'Account.lastSessionId': { unknown: 'empty' },
  'Account.sessionIds': { description: 'Ids of the sessions, the newest first, at most 10,000.' },
  'AuthenticateSessionPayload.requiredVerification': { unknown: 'absent' },
  'CreateSessionPayload.browserToken': { unknown: 'absent' },
  'CreateSessionPayload.token': {
    description:
      'Token of the session. The page sends it as Authorization: Bearer with PATCH /session/{session_id} and ' +
      'POST /session/{session_id}/complete.',
  },
  'DeviceNetworkSignals.recentFraudIp': {
    description: 'Network with recent Fake decisions on accounts. Score, 0 to 1.',
  },
  'DocumentSignals.faceAgeEstimate': { unknown: 'null' },
  'DocumentUserData.dateOfBirth': { isUsDate: true },
  'DocumentUserData.dateOfExpiration': { isUsDate: true },
  'DocumentUserData.dateOfIssue': { isUsDate: true },
  'EmailBreach.country': { unknown: 'null' },
  'EmailBreach.date': { key: 'breach_date', unknown: 'null' },
  'EmailBreach.industry': { unknown: 'null' },
  'EmailBreaches.count': { key: 'breach_count' },
  'EmailBreaches.list': { key: 'breach_list' },
  'EmailBreaches.trustedCount': { key: 'trusted_breach_count' },
  'EmailCheckConnection.edges': { description: 'Completed checks in the order of the request.' },
  'EmailDeliverability.sendRecommendation': { unknown: 'null' },
  'EmailDomain.country': { unknown: 'null' },
  'EmailProfile.since': { unknown: 'null' },
  'EmailProfile.url': { unknown: 'null' },
  'EmailResult.breaches': { key: 'breach_intelligence' },
  'EmailResult.identity': { key: 'identity_intelligence', unknown: 'absent' },
  'EmailResult.mailbox': { key: 'email' },
  'EmailResult.signals': { key: 'signal_details' },
  'IdentityMatch.match': { description: 'Whether both faces are of the same person.' },
  'LinkedAccount.matchTypes': { description: MATCH_KINDS },
  'LinkedAccountConnection.edges': {
    description: 'Linked accounts, the highest score first, then by id.',
  },
  'LinkedAccountEdge.firstSeen': { description: 'Time of the first connection.' },
  'LinkedAccountEdge.lastSeen': { description: 'Time of the latest activity.' },
  'LinkedAccountEdge.matchTypes': { description: MATCH_KINDS },
  'LinkedAccountEdge.node': { unknown: 'never' },
  'ListConnection.edges': { description: 'Lists by name.' },
  'PageInfo.endCursor': { unknown: 'null' },
  'PhoneCheck.history': { description: 'History of the number in the project.' },
  'ReasonCode.contributions': { schema: { type: 'object', additionalProperties: score } },
  'ReasonCode.sourceAsOf': { unknown: 'null' },
  'RecentCounts.oneDay': { key: '1_day' },
  'RecentCounts.sevenDay': { key: '7_day' },
  'Session.accountIds': {
    unknown: 'never',
    description:
      'Ids of the accounts that the session is bound to, assigned by the client, in the order of binding.',
  },
  'Session.bot': {
    description: 'Counts of interactions by kind, 0 or more each. 0 if none was reported.',
  },
  'Session.carrier': { unknown: 'absent' },
  'Session.mobile': { unknown: 'absent' },
  'Session.trueCountryCode': { unknown: 'absent' },
  'SessionNetwork.connectionType': { description: 'Kind of network. Empty if unknown.' },
  'Verification.accountId': { unknown: 'null' },
  'Verification.accountMatches': { unknown: 'never' },
  'Verification.decision': { unknown: 'never' },
  'Verification.deviceNetworkSignals': { unknown: 'never' },
  'Verification.documentData': { unknown: 'never' },
  'Verification.documentSignals': { unknown: 'never' },
  'Verification.listNames': { unknown: 'never' },
  'Verification.photoUrls': { default: {} },
  'Verification.referringSessionSignals': { default: NO_REFERRING_SESSION },
  'Verification.riskFlags': { unknown: 'never' },
  'Verification.riskScore': { unknown: 'never' },
  'Verification.ruleNames': { unknown: 'never' },
  'Verification.session': { default: {} },
  'Verification.session.trueCountryCode': { unknown: 'null' },
  'Verification.videoUrls': { unknown: 'never' },
  // Sides without an image.
  'VerificationPhotoUrls.face': { unknown: 'absent' },
  'VerificationPhotoUrls.idScanBack': { unknown: 'absent' },
  'VerificationPhotoUrls.idScanFront': { unknown: 'absent' },
};
