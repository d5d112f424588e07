export {
  assessVerification,
  type Repeats,
  VERIFICATION_WEIGHTS_VERSION,
  type VerificationEvidence,
} from './assess-verification.ts';
export {
  type Capture,
  CHOSEN_DOCUMENTS,
  type ChosenDocument,
  cameraCountShape,
  challengeStepShape,
  checkComplete,
  chosenDocumentShape,
  completeCaptureShape,
  decryptCapture,
  encryptCapture,
  framesOf,
  hasMedia,
  isVirtualCamera,
  readCapture,
  retakenCapture,
} from './captured.ts';
export { randomChallenge } from './challenge.ts';
export { isUnreadable, mayRetake, type Retake, retakeOf, retakeReasonOf } from './document-retake.ts';
export {
  accountAlreadyEnrolled,
  accountNotEnrolled,
  alreadyReviewed,
  captureNotFound,
  captureTaken,
  enrolledFaceNotComparable,
  notCapturing,
  referringSessionNotFound,
  sessionTied,
  verificationAccountNotFound,
  verificationError,
  visionNotInstalled,
} from './errors.ts';
export { type Failure, PAGE_FAILURES, type PageFailure } from './failure.ts';
export {
  type ComparedSession,
  compareDevices,
  compareWithReferring,
  type ReferringSignals,
} from './referring-signals.ts';
export {
  decidingMatches,
  type FaceMatch,
  type FaceStanding,
  NEW_ACCOUNT,
  REPEAT_FACE_WEIGHTS,
} from './repeat-faces.ts';
export type { RetakeReason } from './retake-reason.ts';
export {
  decisionOfReview,
  encryptReviewReason,
  REVIEW_CONDITIONS,
  REVIEW_DECISIONS,
  type ReviewCondition,
  type ReviewDecision,
  type ReviewRow,
  reviewReasonOf,
  type StoredReview,
  toReview,
} from './review.ts';
export { approveShape, rejectShape, withdrawalShape } from './review-input.ts';
export { simulatedResult } from './simulated-result.ts';
export {
  readSimulation,
  riskFlagShape,
  SIMULATED_SECONDS,
  SIMULATIONS,
  type Simulation,
  type SimulationInput,
  simulatedOutcomeOf,
  simulationShape,
} from './simulation.ts';
export {
  captureStartedAfter,
  type Endpoint,
  READABLE_DAYS,
  readableSince,
  type SessionStanding,
  type SessionTimes,
  START_WITHIN_HOURS,
  type StoredState,
  stateAt,
  TRANSITIONS,
  VERIFICATION_STATES,
  type VerificationEvent,
  type VerificationState,
  type VerifyError,
  verifyError,
} from './state-table.ts';
export {
  type Consent,
  checkAccountId,
  checkConsent,
  checkRedirect,
  createVerificationShape,
  enrollFaceShape,
  type FaceToEnroll,
  identityShape,
  LANGUAGES,
  type Language,
  languageOf,
  languageShape,
  type NewVerificationInput,
  redirectWith,
  sessionIdOf,
} from './verification-input.ts';
export {
  type AssessmentBasis,
  assessmentsOf,
  decryptResult,
  documentOf,
  encryptResult,
  identifiersOf,
  isReproducible,
  reassess,
  repeatsOfBasis,
  type StoredAssessment,
  type VerificationResult,
  verificationFacts,
} from './verification-result.ts';
