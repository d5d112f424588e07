/*
 * The documented values of REST where they differ from those of the schema.
 *
 * The rule without an exception: text that is unknown is null in the schema and "" on REST. Numbers, booleans, objects,
 * ids and timestamps that are unknown are null on both.
 */

/**
 * Documented value of an unknown field.
 * - `null`: null, although it is text.
 * - `empty`: "", although it is no text.
 * - `absent`: the key is left out.
 * - `us_date`: "", and dates are MM/DD/YYYY instead of YYYY-MM-DD.
 * - an object: this object.
 */
export type Form = 'null' | 'empty' | 'absent' | 'us_date' | Readonly<Record<string, unknown>>;

/** Of a request without a referring session. */
const NO_REFERRING_SESSION = {
  impossible_travel: 0,
  ip_mismatch: 0,
  user_agent_mismatch: 0,
  device_timezone_mismatch: 0,
  ip_timezone_mismatch: 0,
};

/** By `Type.field` of the schema. */
export const FORM_EXCEPTIONS: Readonly<Record<string, Form>> = {
  'Account.dateOfBirth': 'absent',
  'Account.lastSessionId': 'empty',
  'CreateSessionPayload.browserToken': 'absent',
  'DocumentSignals.faceAgeEstimate': 'null',
  'DocumentUserData.dateOfBirth': 'us_date',
  'DocumentUserData.dateOfExpiration': 'us_date',
  'DocumentUserData.dateOfIssue': 'us_date',
  'EmailBatch.batchName': 'null',
  'PageInfo.endCursor': 'null',
  'ReasonCode.sourceAsOf': 'null',
  'Session.carrier': 'absent',
  'Session.mobile': 'absent',
  'Session.trueCountryCode': 'absent',
  'Verification.accountId': 'null',
  'Verification.photoUrls': {},
  'Verification.referringSessionSignals': NO_REFERRING_SESSION,
  // Sides without an image.
  'VerificationPhotoUrls.face': 'absent',
  'VerificationPhotoUrls.idScanBack': 'absent',
  'VerificationPhotoUrls.idScanFront': 'absent',
};
