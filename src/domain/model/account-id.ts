import { z } from 'zod';
import { LIMITS } from '../../platform/limits.ts';

/** Id of an account, assigned by the client. */
export const accountIdShape = z
  .string()
  .min(1, 'must not be empty')
  .max(LIMITS.accountIdLength, `must be at most ${LIMITS.accountIdLength} characters`);
