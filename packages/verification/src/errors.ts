import { AppError } from '@vouchgraph/platform/errors';
import { LIMITS } from '@vouchgraph/platform/limits';
import type { VerifyError } from './state-table.ts';

const MEANINGS: Readonly<Record<VerifyError, string>> = {
  session_not_found: 'Verification session not found',
  session_not_started: 'The user has not started the verification session',
  session_not_valid_for_this_endpoint:
    'The verification session has another kind, was not started or captured within 24 hours, or its result is older than 30 days',
  session_not_complete: 'The verification session is not complete',
  liveness_check_failed: 'The liveness check of the face failed',
  id_scan_not_complete: 'The document has not been captured',
  id_scan_failed: 'The document could not be read',
  session_older_than_30_days: 'The verification session is older than 30 days',
};

/** Codes are `verification.` and the documented word. */
export function verificationError(error: VerifyError): AppError {
  const kind = error === 'session_not_found' ? 'not_found' : 'conflict';
  return new AppError(`verification.${error}`, kind, MEANINGS[error]);
}

/** A wrong parameter of a simulated session. */
export function invalidSimulation(field: string, reason: string): AppError {
  return new AppError('verification.invalid_simulated_session', 'invalid_input', `${field}: ${reason}`, {
    path: [field],
  });
}

/** Only simulated sessions can be created: the packages that read images are not installed. */
export function visionNotInstalled(): AppError {
  return new AppError(
    'vision.not_installed',
    'unavailable',
    'This gateway was installed without the packages that check images: install them with npm ci, or simulate the session in a sandbox project',
  );
}

/** A review by another reviewer, which is replaced on request only. */
export function alreadyReviewed({
  decision,
  actor,
  createdAt,
}: {
  decision: string;
  actor: string;
  createdAt: Date;
}): AppError {
  return new AppError(
    'verification.already_reviewed',
    'conflict',
    `The verification was already ${decision} by ${actor} at ${createdAt.toISOString()}`,
    { path: ['id'] },
  );
}

/** A session belongs to one account only, once it was used for it. */
export function sessionTied(): AppError {
  return new AppError(
    'verification.session_already_tied_to_an_account',
    'conflict',
    'The session belongs to another account',
  );
}

/** For an unknown account and one of another project. */
export function verificationAccountNotFound(): AppError {
  return new AppError('verification.account_not_found', 'not_found', 'Account not found');
}

/** A comparison needs an enrolled face. */
export function accountNotEnrolled(): AppError {
  return new AppError('verification.account_not_enrolled', 'conflict', 'The account has no enrolled face');
}

/** Same code as for an account without a face: the client reacts in the same way. */
export function enrolledFaceNotComparable(): AppError {
  return new AppError(
    'verification.account_not_enrolled',
    'conflict',
    'The enrolled face was stored by an earlier version without an image and cannot be compared: enroll the account again',
  );
}

/** Also thrown for a wrong secret or token, with the same answer. */
export function captureNotFound(): AppError {
  return verificationError('session_not_found');
}

/** Another client captures the session. */
export function captureTaken(): AppError {
  return new AppError(
    'verification.session_already_started',
    'conflict',
    'The session was started in another browser: create a new session to retry',
  );
}

/** The session has ended, or its capture has not started. */
export function notCapturing(): AppError {
  return new AppError(
    'verification.not_capturing',
    'conflict',
    'The session does not accept images in this state',
  );
}

/** A capture is completed before all of its images were uploaded. `missing` names them. */
export function captureIncomplete(missing: string): AppError {
  return new AppError('verification.capture_incomplete', 'invalid_input', `Still missing: ${missing}`);
}

/** A capture is started without a usable consent. */
export function consentMissing(): AppError {
  return new AppError(
    'verification.consent_missing',
    'invalid_input',
    'consent: must contain the version of the text (at most 64 characters) and the time of consent, which must be after the creation ' +
      'of the session and before the first image. The clock may be off by at most 10 minutes',
    { path: ['consent'] },
  );
}

/** `isSandbox`: a sandbox accepts any URL that is not a script; production accepts only allowed origins. */
export function redirectNotAllowed(isSandbox: boolean): AppError {
  return new AppError(
    'verification.redirect_not_allowed',
    'invalid_input',
    isSandbox
      ? `redirectUrl: must be a URL with a scheme, without credentials, of at most ${LIMITS.redirectUrlLength} characters, and not a script scheme`
      : 'redirectUrl: must be an https address within the allowedOrigins of the project',
    { path: ['redirectUrl'] },
  );
}

/** For an unknown session and one of another project. */
export function referringSessionNotFound(): AppError {
  return new AppError(
    'verification.referring_session_not_found',
    'invalid_input',
    'referringSessionId: session not found',
    { path: ['referringSessionId'] },
  );
}

/** An enrolled face is replaced on request only. */
export function accountAlreadyEnrolled(): AppError {
  return new AppError(
    'verification.account_already_enrolled',
    'conflict',
    'The account already has an enrolled face: use enrollFace with replace: true to replace it',
  );
}
