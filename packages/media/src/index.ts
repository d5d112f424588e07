export { parseByteRange } from './byte-range.ts';
export { type ByteSpan, chunksOf, encryptedLength, HEADER_BYTES, plainLength } from './chunk-layout.ts';
export { decryptMedia, encryptedFile, encryptMedia, type MediaPlace } from './encrypted-media.ts';
export {
  MediaFileMissingError,
  mediaErased,
  mediaNotFound,
  mediaTooLarge,
  mediaTypeMismatch,
  wrongContentType,
  wrongSequence,
} from './errors.ts';
export { type CheckImage, contentProblem } from './media-content.ts';
export { fileOfKey, type MediaFile, mediaKey } from './media-key.ts';
export { bareType, MEDIA_BYTES, MEDIA_LIMITS, type MediaKind } from './media-kind.ts';
export {
  isValidMediaUrl,
  type MediaMethod,
  parseMediaPath,
  READ_URL_SECONDS,
  signedMediaUrl,
  UPLOAD_URL_SECONDS,
  WEBHOOK_URL_SECONDS,
} from './media-url.ts';
