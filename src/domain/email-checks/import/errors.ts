import { AppError } from '@vouchgraph/platform/errors';

/** Thrown for unknown, malformed and foreign ids alike. */
export function importNotFound(): AppError {
  return new AppError('email.import_not_found', 'not_found', 'Email import not found');
}
