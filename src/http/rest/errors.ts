import { AppError } from '@vouchgraph/platform/errors';
import { type HttpAnswer, jsonAnswer } from '@vouchgraph/platform/http';
import { type DocumentedErrors, envelope, refusalOf, refusalOfExecution } from '@vouchgraph/rest';
import type { GraphQLError } from 'graphql';

/** What groups the inputs of the schema and no body of REST. */
export const GROUPS: readonly PropertyKey[] = ['input', 'facts', 'simulated'];

const DOCUMENTED: DocumentedErrors = {
  /** Conflicts of a list's change are a 400 as well. */
  statusOfCode: { 'list.already_exists': 400, 'list.in_use': 400 },
  namedReasons: ['auth.key_as_token'],
  groups: GROUPS,
  messageOf: (code, inputPath) => (isUnknownList(code, inputPath) ? 'List not found.' : null),
};

/** Whether REST has a documented message for an unknown list. It has none for the target of a move. */
function isUnknownList(code: string, inputPath?: readonly (string | number)[]): boolean {
  return code === 'list.not_found' && inputPath?.at(-1) !== 'targetList';
}

/**
 * Any error as the documented envelope of accounts, sessions, lists and phones. Unknown errors are internal and disclose
 * nothing. `status` replaces the default status of the error's kind.
 */
export function presentRestError(error: unknown, status?: number): HttpAnswer {
  const refusal = refusalOf(error, DOCUMENTED);
  return envelope(status === undefined ? refusal : { ...refusal, status });
}

/** Values of `error` in a 400 below /liveness. */
export const LIVENESS_ERRORS = [
  'session_not_found',
  'session_not_started',
  'session_not_valid_for_this_endpoint',
  'session_not_complete',
  'liveness_check_failed',
  'id_scan_not_complete',
  'id_scan_failed',
  'invalid_simulated_session',
  'account_not_found',
  'account_not_enrolled',
  'account_already_enrolled',
  'session_already_tied_to_an_account',
  'session_older_than_30_days',
  'redirect_not_allowed',
  'referring_session_not_found',
  'invalid_request',
] as const;

/** The word for an error's code: `invalid_request` where no other one fits. */
export function livenessErrorOf(code: string): (typeof LIVENESS_ERRORS)[number] {
  const name = code.replace(/^verification\./, '').replace('.', '_');
  return LIVENESS_ERRORS.find((each) => each === name) ?? 'invalid_request';
}

/** An error of a route in the envelope of its family. */
export function presentRouteError(
  path: string,
  error: AppError | GraphQLError,
  requestId: string,
): HttpAnswer {
  const refusal =
    error instanceof AppError ? refusalOf(error, DOCUMENTED) : refusalOfExecution(error, DOCUMENTED);
  const { status, code, message } = refusal;
  if (path === '/email' || path.startsWith('/email/'))
    return status === 400
      ? jsonAnswer(400, { statusCode: 400, error: 'Bad Request', message, code })
      : envelope(refusal);
  if (!path.startsWith('/liveness/')) return envelope(refusal);
  // Errors that prevent a verification are a 400, whatever their kind.
  if (status !== 400 && !code.startsWith('verification.')) return envelope(refusal);
  const word = livenessErrorOf(code);
  return jsonAnswer(400, { request_id: requestId, success: false, error: word, message, code });
}
