import { z } from 'zod';
import { LIMITS } from './limits.ts';
import { hasForbiddenCharacters, isDotSegment } from './text.ts';
import { FORBIDDEN_TEXT } from './unstorable.ts';
import { DOT_SEGMENT_TEXT } from './wording.ts';

const notDotSegment = (id: string) => !isDotSegment(id);
const isStorable = (id: string) => !hasForbiddenCharacters(id);

/** Id of an account, assigned by the client. */
export const accountIdShape = z
  .string()
  .min(1, 'must not be empty')
  .max(LIMITS.accountIdLength, `must be at most ${LIMITS.accountIdLength} characters`)
  .refine(notDotSegment, DOT_SEGMENT_TEXT)
  .refine(isStorable, FORBIDDEN_TEXT);

/** Id of an existing account: one that is too long is answered like an unknown one. */
export const knownAccountIdShape = z
  .string()
  .refine(notDotSegment, DOT_SEGMENT_TEXT)
  .refine(isStorable, FORBIDDEN_TEXT);
