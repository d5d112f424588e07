import { AppError, invalidInput } from '../../platform/errors.ts';
import { wholeText } from '../../platform/wording.ts';
import { MEDIA_LIMITS, type MediaKind } from './media-kind.ts';

/** Unknown, another project's, not uploaded yet, erased: all alike. */
export function mediaNotFound(): AppError {
  return new AppError('media.not_found', 'not_found', 'Not Found');
}

/** The file of an object that is stored and not erased does not exist: storage lost it. */
export class MediaFileMissingError extends Error {
  constructor() {
    super('the file of a stored object is missing');
  }
}

/** What was erased is not filled again. */
export function mediaErased(): AppError {
  return new AppError('media.erased', 'conflict', 'The pictures of this session were erased');
}

export function wrongSequence(kind: MediaKind): AppError {
  const last = MEDIA_LIMITS[kind].count - 1;
  return invalidInput(`sequence: ${wholeText(0, last)} for ${kind}`, ['sequence']);
}

export function wrongContentType(kind: MediaKind): AppError {
  const types = MEDIA_LIMITS[kind].contentTypes.join(', ');
  return invalidInput(`contentType: must be one of ${types} for ${kind}`, ['contentType']);
}

/** The bytes, or what is said of them, are of another type than was announced. */
export function mediaTypeMismatch(expected: string): AppError {
  return new AppError('media.wrong_type', 'invalid_input', `Body must be ${expected}`);
}

export function mediaEmpty(): AppError {
  return new AppError('media.empty', 'invalid_input', 'Body must not be empty');
}

export function mediaTooLarge(): AppError {
  return new AppError('media.too_large', 'invalid_input', 'Body must be at most 12 MB');
}

/** Right type, and still nothing that can be looked at. */
export function mediaUnusable(why: string): AppError {
  return new AppError('media.unusable', 'invalid_input', why);
}
