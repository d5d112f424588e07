import { AppError } from '../../platform/errors.ts';

/** Unknown, or another project's: both alike. */
export function accountNotFound(): AppError {
  return new AppError('account.not_found', 'not_found', 'Account not found');
}

/** Null for the error of an account that does not exist; throws any other. */
export function ignoreMissingAccount(error: unknown): null {
  if (error instanceof AppError && error.code === accountNotFound().code) return null;
  throw error;
}
