import { LIMITS } from '@vouchgraph/platform/limits';
import { isDotSegment } from '@vouchgraph/platform/text';
import { DOT_SEGMENT_TEXT } from '@vouchgraph/platform/wording';
import { z } from 'zod';

const notDotSegment = (id: string) => !isDotSegment(id);

/** Id of an account, assigned by the client. */
export const accountIdShape = z
  .string()
  .min(1, 'must not be empty')
  .max(LIMITS.accountIdLength, `must be at most ${LIMITS.accountIdLength} characters`)
  .refine(notDotSegment, DOT_SEGMENT_TEXT);

/** Id of an existing account: one that is too long is answered like an unknown one. */
export const knownAccountIdShape = z.string().refine(notDotSegment, DOT_SEGMENT_TEXT);
