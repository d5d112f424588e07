/*
 * Layout of an encrypted file: a header (version, salt), then the plain bytes in chunks of 64 KB, each encrypted separately and
 * followed by its tag, so that a part can be decrypted without the bytes before it. The last chunk can be shorter; an empty file
 * has one empty chunk.
 */
const CHUNK_BYTES = 64 * 1024;
export const TAG_BYTES = 16;
const SALT_BYTES = 16;
export const HEADER_BYTES = 1 + SALT_BYTES;
const ENCRYPTED_CHUNK_BYTES = CHUNK_BYTES + TAG_BYTES;

/** Byte range; `end` is exclusive. */
export type ByteSpan = { readonly start: number; readonly end: number };

/** Number of chunks of a file with this number of plain bytes; an empty file has one. */
export function chunkCount(plainLength: number): number {
  return Math.max(1, Math.ceil(plainLength / CHUNK_BYTES));
}

/** Length of an encrypted file in bytes. */
export function encryptedLength(plainLength: number): number {
  return HEADER_BYTES + plainLength + chunkCount(plainLength) * TAG_BYTES;
}

/** Number of plain bytes in an encrypted file of this length; null for an impossible length. */
export function plainLength(encrypted: number): number | null {
  const body = encrypted - HEADER_BYTES;
  if (body < TAG_BYTES) return null;
  const plain = body - Math.ceil(body / ENCRYPTED_CHUNK_BYTES) * TAG_BYTES;
  return plain >= 0 && encryptedLength(plain) === encrypted ? plain : null;
}

/** Range of chunk `index` in the plain bytes. */
export function plainSpanOf(index: number, plain: number): ByteSpan {
  return { start: index * CHUNK_BYTES, end: Math.min((index + 1) * CHUNK_BYTES, plain) };
}

/** The chunks that contain a span of plain bytes, and their range in the encrypted file. */
export type ChunkRun = {
  readonly first: number;
  readonly last: number;
  readonly encrypted: ByteSpan;
};

/** Chunks that contain a span of a file with `plain` bytes. */
export function chunksOf({ start, end }: ByteSpan, plain: number): ChunkRun {
  const first = Math.floor(start / CHUNK_BYTES);
  const last = Math.max(first, Math.ceil(end / CHUNK_BYTES) - 1);
  return {
    first,
    last,
    encrypted: {
      start: HEADER_BYTES + first * ENCRYPTED_CHUNK_BYTES,
      end: Math.min(HEADER_BYTES + (last + 1) * ENCRYPTED_CHUNK_BYTES, encryptedLength(plain)),
    },
  };
}

/** Length of chunk `index` in the encrypted file. */
export function encryptedChunkLength(index: number, plain: number): number {
  const { start, end } = plainSpanOf(index, plain);
  return end - start + TAG_BYTES;
}
