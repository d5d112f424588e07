import { verificationKindShape } from '../domain/model/verification-kind.ts';
import { RISK_FLAGS, type RiskFlag } from '../domain/signals/evidence/risk-flags.ts';
import { challengeStepShape } from '../domain/verification/captured.ts';
import type { Failure } from '../domain/verification/failure.ts';
import { riskFlagShape, SIMULATIONS, simulationShape } from '../domain/verification/simulation.ts';
import {
  VERIFICATION_STATES,
  type VerificationState,
  type VerifyError,
} from '../domain/verification/state-table.ts';
import { type Language, languageShape } from '../domain/verification/verification-input.ts';
import { CHALLENGE_STEPS, type ChallengeStep } from '../domain/vision/readings.ts';
import { builder } from './builder.ts';
import { GROWING, valuesOf } from './enum-values.ts';
import { setFieldType } from './input-from.ts';

export const VerificationKindType = builder.enumType('VerificationKind', {
  description: 'Kind of a check.',
  values: {
    ID_CHECK: { description: 'Document, and the face of its holder.', value: 'id' },
    FACE_CHECK: { description: 'Face.', value: 'face' },
  } as const,
});
setFieldType(verificationKindShape, VerificationKindType);

export const VerificationStateType = builder.enumType('VerificationState', {
  description:
    'State of a verification session: created, opened, capturing, processing, then completed or failed; expired when it ' +
    'was not started within 24 hours, or not captured within 24 more. Processing returns to capturing when the document ' +
    'has to be captured again (retake). COMPLETED, FAILED and EXPIRED are final.',
  values: valuesOf<VerificationState>(VERIFICATION_STATES, {
    created: 'The page was not opened yet.',
    opened: 'The page was opened, and the capture was not started.',
    capturing: 'Images are being captured.',
    processing: 'Images were submitted and are being processed.',
    completed: 'The check has a result.',
    failed: 'The session ended without a result; failure is the reason.',
    expired: 'The session was not started within 24 hours, or not captured within 24 hours of its start.',
  }),
});

const FAILURE_MEANINGS: Readonly<Record<Failure, string>> = {
  invalid_session_id: 'Simulated: the id of the session is malformed.',
  session_id_not_found: 'Simulated: the session does not exist.',
  failed_to_get_camera_permission: 'The browser or the person refused the camera.',
  failed_to_complete_face_scan: 'The face could not be captured.',
  failed_to_process_id_scan: 'The document could not be captured or read.',
  failed_to_collect_device_data: 'Facts of the device could not be collected.',
  liveness_check_failed: 'The images do not show a living person.',
};

export const VerificationFailureType = builder.enumType('VerificationFailure', {
  description: 'Reason why a verification session ended without a result.',
  values: valuesOf<Failure>(Object.keys(FAILURE_MEANINGS) as Failure[], FAILURE_MEANINGS),
});

const VerificationSimulationType = builder.enumType('VerificationSimulation', {
  description: 'Outcome of a simulated verification session.',
  values: valuesOf<(typeof SIMULATIONS)[number]>(SIMULATIONS, {
    success: 'The check completes with a result.',
    ...FAILURE_MEANINGS,
  }),
});
setFieldType(simulationShape, VerificationSimulationType);

/** Errors that a session of the right kind can have. */
type ResultError = Exclude<VerifyError, 'session_older_than_30_days'>;

export const VerificationResultErrorType = builder.enumType('VerificationResultError', {
  description: 'Reason why a verification session has no result that can be read.',
  values: {
    NOT_STARTED: { description: 'The capture was not started.', value: 'session_not_started' },
    NOT_COMPLETE: {
      description: 'Images are being captured or processed, or the capture was abandoned.',
      value: 'session_not_complete',
    },
    DOCUMENT_NOT_CAPTURED: {
      description: 'The face was captured, and the document was not yet.',
      value: 'id_scan_not_complete',
    },
    LIVENESS_FAILED: {
      description: 'The images do not show a living person.',
      value: 'liveness_check_failed',
    },
    DOCUMENT_FAILED: { description: 'The document could not be read.', value: 'id_scan_failed' },
    EXPIRED: {
      description: 'The session expired, or its result is older than 30 days.',
      value: 'session_not_valid_for_this_endpoint',
    },
    NOT_FOUND: {
      description: 'Simulated: the session does not exist, or its id is malformed.',
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
        step === 'center' ? 'Facing the camera.' : `Turned to the ${step} of the person.`,
      ]),
    ) as Record<ChallengeStep, string>,
  ),
});
setFieldType(challengeStepShape, ChallengeStepType);

const FLAG_MEANINGS: Readonly<Record<RiskFlag, string>> = {
  high_device_risk: 'The device is disguised, automated or tampered with.',
  proxy_detected: 'The IP address belongs to a proxy.',
  vpn_detected: 'The IP address belongs to a VPN.',
  datacenter_detected: 'The IP address belongs to a data center.',
  recent_fraud_ip: 'Accounts on the network were recently decided FAKE.',
  impossible_travel_detected: 'The distance to the referring session cannot be traveled in the time between.',
  location_spoofing: 'The reported location is not genuine.',
  ip_document_country_mismatch: 'The IP address is in another country than the issuer of the document.',
  cannot_confirm_id_is_authentic: 'Nothing confirms the document, and nothing contradicts it.',
  likely_fake_id: 'Parts of the document contradict each other.',
  id_expired: 'The document has expired.',
  id_age_below_16: 'The holder of the document is younger than 16.',
  low_id_face_match_score: 'The face hardly matches the portrait of the document.',
  moderate_id_face_match_score: 'The face matches the portrait of the document only moderately.',
  repeat_face: 'The face was seen before, in another session.',
  repeat_id: 'The document was seen before, in another session.',
  repeat_device: 'Another account has the device.',
  known_fraud_face: 'The face belongs to an account known for fraud.',
  known_fraud_id: 'The document belongs to an account known for fraud.',
  different_device_type_same_category: 'The referring session has another device of the same class.',
  same_device_type_different_ip: 'The referring session has the same type of device on another IP address.',
  potential_link_sharing: 'The link was probably passed on to another person.',
  referring_ip_mismatch: 'The referring session has another IP address.',
  referring_user_agent_mismatch: 'The referring session has another user agent.',
  referring_device_timezone_mismatch: 'The device of the referring session has another timezone.',
  referring_ip_timezone_mismatch: 'The IP address of the referring session has another timezone.',
  digital_id: 'The document is shown on a screen.',
  name_not_found: 'The document has no readable name.',
  name_partially_missing: 'Only a part of the name on the document is readable.',
  virtual_camera_detected: 'The camera is a virtual one.',
  screen_recapture_suspected: 'The images were probably taken from a screen.',
  enrolled_face_mismatch: 'The face differs from the one that is enrolled for the account.',
};

export const RiskFlagType = builder.enumType('RiskFlag', {
  ...GROWING,
  description: 'Finding that raises the risk score of a verification. Further ones can be added.',
  values: valuesOf<RiskFlag>(RISK_FLAGS, FLAG_MEANINGS),
});
setFieldType(riskFlagShape, RiskFlagType);
