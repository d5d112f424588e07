import { z } from 'zod';
import { LIMITS } from '../../platform/limits.ts';
import { isDotSegment } from '../../platform/text.ts';
import { DOT_SEGMENT_TEXT } from '../../platform/wording.ts';

/** Control characters and slashes would break paths and logs that name a list. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is refused
const LIST_NAME = /^[^\u0000-\u001f\u007f-\u009f/]+$/;

/** The name of a list. */
export const listNameShape = z
  .string()
  .min(1, 'must not be empty')
  .max(LIMITS.listNameLength, `must be at most ${LIMITS.listNameLength} characters`)
  .regex(LIST_NAME, 'must be printable characters without /')
  .refine((name) => !isDotSegment(name), DOT_SEGMENT_TEXT);
