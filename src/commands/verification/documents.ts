/* Documents of the public schema that the commands of verifications run. */

import { DEVICE_NETWORK_KEYS } from '../../domain/verification/result/verification-snapshot.ts';

const REVIEW = 'reviewDecision reason actor at';

const MAIN = `sessionId kind state failure resultError simulated decision rawDecision riskScore riskFlags accountId
  review { ${REVIEW} } createdAt completedAt`;

export const VERIFICATIONS = `query Verifications($filter: VerificationFilter, $first: Int, $after: String, $last: Int,
  $before: String) {
  verifications(filter: $filter, first: $first, after: $after, last: $last, before: $before) {
    edges { node { ${MAIN} } } pageInfo { hasNextPage endCursor hasPreviousPage startCursor } } }`;

export const VERIFICATION = `query Verification($id: ID!) {
  verification(sessionId: $id) { ${MAIN} contributions { flag group value } reasons listNames ruleNames
    account { accountId decision accountScore } accountMatches { accountId matchTypes }
    documentSignals { idValidity idTextStatus idFaceStatus idBarcodeStatus isIdDigitalSpoof isDigitalId isFullIdCaptured
      nameNotFound namePartiallyMissing idAge faceAgeEstimate idFaceMatchScore }
    documentData { templateInfo { templateType documentCountryCode documentState }
      userData { firstName lastName dateOfBirth dateOfExpiration } }
    deviceNetworkSignals { ${DEVICE_NETWORK_KEYS.join(' ')} }
    referringSessionId referringSessionSignals { impossibleTravel ipMismatch userAgentMismatch deviceTimezoneMismatch
      ipTimezoneMismatch }
    photoUrls { face idScanFront idScanBack } videoUrls
    challenge retake { reason remaining } consentAt consentVersion startedAt expiresAt
    reviews(first: 100) { edges { node { ${REVIEW} } } } } }`;

export const VERIFICATION_REVIEW = `query VerificationReview($id: ID!) {
  verification(sessionId: $id) { reviews(first: 1) { edges { node { ${REVIEW} } } } } }`;

const REVIEWED = `verification { sessionId decision rawDecision review { ${REVIEW} }
    reviews(first: 2) { edges { node { ${REVIEW} } } } }`;

export const APPROVE_VERIFICATION = `mutation ApproveVerification($input: ApproveVerificationInput!) {
  reviewed: approveVerification(input: $input) { ${REVIEWED} } }`;
export const REJECT_VERIFICATION = `mutation RejectVerification($input: RejectVerificationInput!) {
  reviewed: rejectVerification(input: $input) { ${REVIEWED} } }`;
export const CLEAR_REVIEW = `mutation ClearReview($input: ClearVerificationReviewInput!) {
  reviewed: clearVerificationReview(input: $input) { ${REVIEWED} } }`;
