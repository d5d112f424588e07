import { verificationKindShape } from '@vouchgraph/decisions';
import { RISK_FLAG_MEANINGS, RISK_FLAGS, type RiskFlag } from '@vouchgraph/signals';
import {
  challengeStepShape,
  type Failure,
  type Language,
  languageShape,
  REVIEW_CONDITIONS,
  riskFlagShape,
  SIMULATIONS,
  simulationShape,
  VERIFICATION_STATES,
  type VerificationState,
  type VerifyError,
} from '@vouchgraph/verification';
import { CHALLENGE_STEPS, type ChallengeStep } from '@vouchgraph/vision';
import { builder } from './builder.ts';
import { GROWING, valuesOf } from './enum-values.ts';
import { setFieldType } from './input-from.ts';

export const VerificationKindType = builder.enumType('VerificationKind', {
  description: 'Kind of a check.',
  values: {
    ID_CHECK: { description: 'Check of a document and of the face of its holder.', value: 'id' },
    FACE_CHECK: { description: 'Check of a face.', value: 'face' },
  } as const,
});
setFieldType(verificationKindShape, VerificationKindType);

export const VerificationReviewCondition = builder.enumType('VerificationReviewCondition', {
  description: 'Review by which verification sessions are selected.',
  values: valuesOf(REVIEW_CONDITIONS, {
    none: 'Completed checks without a review whose result can be read, and which can therefore be reviewed.',
    approved: 'Checks whose last review is an approval.',
    rejected: 'Checks whose last review is a rejection.',
  }),
});

export const VerificationStateType = builder.enumType('VerificationState', {
  description:
    'State of a verification session: CREATED, OPENED, CAPTURING, PROCESSING, then COMPLETED or FAILED. ' +
    'EXPIRED if the capture was not started within 24 hours, or not completed within 24 hours after its ' +
    'start. PROCESSING returns to CAPTURING if the document must be captured again (retake). COMPLETED, ' +
    'FAILED and EXPIRED are final.',
  values: valuesOf<VerificationState>(VERIFICATION_STATES, {
    created: 'Session whose page is not opened.',
    opened: 'Session whose page is opened, and whose capture is not started.',
    capturing: 'Capture of the images.',
    processing: 'Processing of the submitted images.',
    completed: 'Session that is completed with a result.',
    failed: 'Session that ended without a result. failure contains the reason.',
    expired:
      'Session whose capture was not started within 24 hours, or not completed within 24 hours after ' +
      'its start.',
  }),
});

const FAILURE_MEANINGS: Readonly<Record<Failure, string>> = {
  invalid_session_id: 'Malformed session id. Simulated sessions only.',
  session_id_not_found: 'Session that does not exist. Simulated sessions only.',
  failed_to_get_camera_permission: 'Camera refused by the browser or the person.',
  failed_to_complete_face_scan: 'Face that could not be captured.',
  failed_to_process_id_scan: 'Document that could not be captured or read.',
  failed_to_collect_device_data: 'Device facts that could not be collected.',
  liveness_check_failed: 'Images that do not show a living person.',
};

export const VerificationFailureType = builder.enumType('VerificationFailure', {
  description: 'Reason why a verification session ended without a result.',
  values: valuesOf<Failure>(Object.keys(FAILURE_MEANINGS) as Failure[], FAILURE_MEANINGS),
});

const VerificationSimulationType = builder.enumType('VerificationSimulation', {
  description: 'Outcome of a simulated verification session.',
  values: valuesOf<(typeof SIMULATIONS)[number]>(SIMULATIONS, {
    success: 'Completion of the check with a result.',
    ...FAILURE_MEANINGS,
  }),
});
setFieldType(simulationShape, VerificationSimulationType);

/** Errors that a session of the right kind can have. */
type ResultError = Exclude<VerifyError, 'session_older_than_30_days'>;

export const VerificationResultErrorType = builder.enumType('VerificationResultError', {
  description: 'Reason why the result of a verification session cannot be read.',
  values: {
    NOT_STARTED: { description: 'Capture that is not started.', value: 'session_not_started' },
    NOT_COMPLETE: {
      description: 'Capture in progress or abandoned, or images in processing.',
      value: 'session_not_complete',
    },
    DOCUMENT_NOT_CAPTURED: {
      description: 'Captured face without a captured document.',
      value: 'id_scan_not_complete',
    },
    LIVENESS_FAILED: {
      description: 'Images that do not show a living person.',
      value: 'liveness_check_failed',
    },
    DOCUMENT_FAILED: { description: 'Document that could not be read.', value: 'id_scan_failed' },
    EXPIRED: {
      description: 'Expired session, or result older than 30 days.',
      value: 'session_not_valid_for_this_endpoint',
    },
    NOT_FOUND: {
      description: 'Session that does not exist, or has a malformed id. Simulated sessions only.',
      value: 'session_not_found',
    },
  } as const satisfies Record<string, { description: string; value: ResultError }>,
});

const LANGUAGE_NAMES: Readonly<Record<Language, string>> = {
  en: 'English.',
  es: 'Spanish.',
  fr: 'French.',
  de: 'German.',
  ar: 'Arabic.',
};

const VerificationLanguageType = builder.enumType('VerificationLanguage', {
  description: 'Language of the hosted page.',
  values: valuesOf<Language>(Object.keys(LANGUAGE_NAMES) as Language[], LANGUAGE_NAMES),
});
setFieldType(languageShape, VerificationLanguageType);

export const ChallengeStepType = builder.enumType('ChallengeStep', {
  description: 'Position of the head.',
  values: valuesOf<ChallengeStep>(
    CHALLENGE_STEPS,
    Object.fromEntries(
      CHALLENGE_STEPS.map((step) => [
        step,
        step === 'center' ? 'Head that faces the camera.' : `Head turned to the ${step} of the person.`,
      ]),
    ) as Record<ChallengeStep, string>,
  ),
});
setFieldType(challengeStepShape, ChallengeStepType);

export const RiskFlagType = builder.enumType('RiskFlag', {
  ...GROWING,
  description: 'Finding that raises the risk score of a verification. New flags can be added.',
  values: valuesOf<RiskFlag>(RISK_FLAGS, RISK_FLAG_MEANINGS),
});
setFieldType(riskFlagShape, RiskFlagType);
