import { AppError, invalidInput } from '@vouchgraph/platform/errors';
import { wholeText } from '@vouchgraph/platform/wording';
import { MEDIA_LIMITS, type MediaKind } from './media-kind.ts';

/** The same error for an unknown, foreign, not yet uploaded and erased object. */
export function mediaNotFound(): AppError {
  return new AppError('media.not_found', 'not_found', 'Not Found');
}

/** The file of a stored, unerased object does not exist: it was lost by the storage. */
export class MediaFileMissingError extends Error {
  constructor() {
    super('the file of a stored object is missing');
  }
}

/** An erased object cannot be uploaded again. */
export function mediaErased(): AppError {
  return new AppError('media.erased', 'conflict', 'The images of this session were erased');
}

export function wrongSequence(kind: MediaKind): AppError {
  const last = MEDIA_LIMITS[kind].count - 1;
  return invalidInput(`sequence: ${wholeText(0, last)} for ${kind}`, ['sequence']);
}

export function wrongContentType(kind: MediaKind): AppError {
  const types = MEDIA_LIMITS[kind].contentTypes.join(', ');
  return invalidInput(`contentType: must be one of ${types} for ${kind}`, ['contentType']);
}

/** The content or the Content-Type header differs from the announced type. */
export function mediaTypeMismatch(expected: string): AppError {
  return new AppError('media.wrong_type', 'invalid_input', `Body must be ${expected}`);
}

export function mediaEmpty(): AppError {
  return new AppError('media.empty', 'invalid_input', 'Body must not be empty');
}

export function mediaTooLarge(): AppError {
  return new AppError('media.too_large', 'invalid_input', 'Body must be at most 12 MB');
}

/** The content has the announced type, but is not usable. */
export function mediaUnusable(why: string): AppError {
  return new AppError('media.unusable', 'invalid_input', why);
}
