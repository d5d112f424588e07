import { AppError } from '../../platform/errors.ts';

/** Unknown, or another project's: both alike. */
export function accountNotFound(): AppError {
  return new AppError('account.not_found', 'not_found', 'Account not found');
}
