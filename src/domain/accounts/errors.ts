import { AppError } from '@vouchgraph/platform/errors';

/** The same error for an unknown account and an account of another project. */
export function accountNotFound(): AppError {
  return new AppError('account.not_found', 'not_found', 'Account not found');
}

/** Returns null for the error of an account that does not exist; rethrows other errors. */
export function ignoreMissingAccount(error: unknown): null {
  if (error instanceof AppError && error.code === accountNotFound().code) return null;
  throw error;
}
