/*
 * How a sealed file is cut. It begins with a header (version, salt); the plain bytes follow in chunks of 64 KB, each
 * sealed on its own with a tag behind it, so that a part opens without what lies before it. The last chunk may be
 * shorter; a file of nothing is one empty chunk.
 */
const CHUNK_BYTES = 64 * 1024;
export const TAG_BYTES = 16;
const SALT_BYTES = 16;
export const HEADER_BYTES = 1 + SALT_BYTES;
const SEALED_CHUNK_BYTES = CHUNK_BYTES + TAG_BYTES;

/** From the first byte to before the last one. */
export type ByteSpan = { readonly start: number; readonly end: number };

export function chunkCount(plainLength: number): number {
  return Math.max(1, Math.ceil(plainLength / CHUNK_BYTES));
}

export function sealedLength(plainLength: number): number {
  return HEADER_BYTES + plainLength + chunkCount(plainLength) * TAG_BYTES;
}

/** How many plain bytes a sealed file of this length holds; null when no file has this length. */
export function plainLength(sealed: number): number | null {
  const body = sealed - HEADER_BYTES;
  if (body < TAG_BYTES) return null;
  const plain = body - Math.ceil(body / SEALED_CHUNK_BYTES) * TAG_BYTES;
  return plain >= 0 && sealedLength(plain) === sealed ? plain : null;
}

/** Where chunk `index` lies among the plain bytes. */
export function plainSpanOf(index: number, plain: number): ByteSpan {
  return { start: index * CHUNK_BYTES, end: Math.min((index + 1) * CHUNK_BYTES, plain) };
}

/** Which chunks hold a span of plain bytes, and where they lie in the sealed file. */
export type ChunkRun = {
  readonly first: number;
  readonly last: number;
  readonly sealed: ByteSpan;
};

export function chunksOf({ start, end }: ByteSpan, plain: number): ChunkRun {
  const first = Math.floor(start / CHUNK_BYTES);
  const last = Math.max(first, Math.ceil(end / CHUNK_BYTES) - 1);
  return {
    first,
    last,
    sealed: {
      start: HEADER_BYTES + first * SEALED_CHUNK_BYTES,
      end: Math.min(HEADER_BYTES + (last + 1) * SEALED_CHUNK_BYTES, sealedLength(plain)),
    },
  };
}

/** How long chunk `index` is in the sealed file. */
export function sealedChunkLength(index: number, plain: number): number {
  const { start, end } = plainSpanOf(index, plain);
  return end - start + TAG_BYTES;
}
