import { z } from 'zod';
import { LIMITS } from '../../../platform/limits.ts';

const reason = z
  .string()
  .max(LIMITS.listReasonLength, `must be at most ${LIMITS.listReasonLength} characters`);

/** A decision of a reviewer; `id` is the global id of the verification. */
export const reviewShape = z.object({
  id: z.string(),
  reason: reason.refine((text) => text.trim() !== '', 'must not be empty'),
});

export const withdrawalShape = z.object({ id: z.string(), reason: reason.nullish() });
