import type { RequestProblem } from '../auth/request-problem.ts';
import type { TextKey } from '../texts/en.ts';

/** Texts of codes that the gateway or the browser rejects a request with. */
const TEXT_OF_CODE: Readonly<Record<string, TextKey>> = {
  INVALID_EMAIL_OR_PASSWORD: 'problem_credentials',
  INVALID_PASSWORD: 'problem_password',
  INVALID_CODE: 'problem_code',
  INVALID_BACKUP_CODE: 'problem_backup_code',
  INVALID_TWO_FACTOR_COOKIE: 'problem_two_factor_expired',
  PASSWORD_TOO_SHORT: 'problem_password_short',
  PASSWORD_TOO_LONG: 'problem_password_long',
  SESSION_NOT_FRESH: 'problem_not_fresh',
  INVITATION_NOT_FOUND: 'invitation_unknown_lead',
  PASSKEY_NOT_FOUND: 'problem_passkey_unknown',
  AUTHENTICATION_FAILED: 'problem_passkey_unknown',
  PASSKEY_CANCELED: 'problem_passkey_canceled',
  PASSKEY_EXISTS: 'problem_passkey_exists',
  PASSKEY_UNSUPPORTED: 'problem_passkey_unsupported',
  PROVIDER_UNAVAILABLE: 'problem_provider',
  IDENTITY_NOT_REMOVABLE: 'problem_identity_last',
  'person.not_found': 'problem_person_unknown',
  'person.last_administrator': 'problem_last_administrator',
  'person.in_other_projects': 'problem_person_elsewhere',
  'person.is_self': 'problem_person_self',
  'invitation.not_found': 'problem_invitation_unknown',
};

/** Text of a problem; `problem_wait` has the placeholder `time`. */
export function problemTextKey(problem: RequestProblem): TextKey {
  switch (problem.kind) {
    case 'offline':
      return 'problem_offline';
    case 'wait':
      return 'problem_wait';
    case 'failed':
      return 'problem_failed';
    case 'signed-out':
      return 'sign_in_ended';
    case 'rejected':
      return (
        TEXT_OF_CODE[problem.code] ?? (problem.status === 403 ? 'problem_forbidden' : 'problem_rejected')
      );
  }
}
