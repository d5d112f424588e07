import { createCipheriv, createDecipheriv, type KeyObject, randomBytes } from 'node:crypto';
import type { ProjectCipher } from '../../platform/crypto.ts';
import {
  type ByteSpan,
  chunkCount,
  chunksOf,
  HEADER_BYTES,
  plainSpanOf,
  sealedChunkLength,
  TAG_BYTES,
} from './chunk-layout.ts';

/*
 * AES-256-GCM over each chunk, with a key of the file alone: made of the project's media key and the salt in the
 * header, so that a chunk's number is enough of a nonce and no two files share a chunk. Project, object, the chunk's
 * number, whether it is the last and the length of the whole are authenticated with it: what was moved, cut, put in
 * another order, mixed with an older version or flipped does not open.
 */
const VERSION = 1;
const PURPOSE = 'media';

/** Which object of which project a file belongs to. */
export type MediaPlace = { readonly projectId: string; readonly objectId: string };

type SealedFile = MediaPlace & { readonly key: KeyObject; readonly plainLength: number };

/** The sealed file, piece by piece. */
export function* sealMedia(cipher: ProjectCipher, place: MediaPlace, plain: Uint8Array): Generator<Buffer> {
  const salt = randomBytes(HEADER_BYTES - 1);
  const file = { ...place, key: cipher.fileKey(PURPOSE, salt), plainLength: plain.byteLength };
  yield Buffer.concat([Buffer.of(VERSION), salt]);
  for (let index = 0; index < chunkCount(file.plainLength); index++) {
    const { start, end } = plainSpanOf(index, file.plainLength);
    const sealing = createCipheriv('aes-256-gcm', file.key, nonceOf(index), { authTagLength: TAG_BYTES });
    sealing.setAAD(boundTo(file, index));
    const body = sealing.update(plain.subarray(start, end));
    yield Buffer.concat([body, sealing.final(), sealing.getAuthTag()]);
  }
}

/** What opens the file that begins with this header; throws when it is none. */
export function sealedFile(
  cipher: ProjectCipher,
  place: MediaPlace,
  header: Uint8Array,
  plainLength: number,
): SealedFile {
  if (header.byteLength !== HEADER_BYTES || header[0] !== VERSION)
    throw new Error('sealed media of an unknown version');
  return { ...place, key: cipher.fileKey(PURPOSE, header.subarray(1)), plainLength };
}

/**
 * The plain bytes of a span. `sealed` are the bytes of the chunks that hold it, however they are cut; each piece that
 * comes out was authenticated before.
 */
export async function* openMedia(
  file: SealedFile,
  span: ByteSpan,
  sealed: AsyncIterable<Uint8Array>,
): AsyncGenerator<Buffer> {
  let { first: index } = chunksOf(span, file.plainLength);
  const { last } = chunksOf(span, file.plainLength);
  let waiting: Uint8Array[] = [];
  let length = 0;
  for await (const piece of sealed) {
    waiting.push(piece);
    length += piece.byteLength;
    while (index <= last && length >= sealedChunkLength(index, file.plainLength)) {
      const bytes = waiting.length === 1 ? Buffer.from(waiting[0]!) : Buffer.concat(waiting);
      const size = sealedChunkLength(index, file.plainLength);
      yield within(openChunk(file, index, bytes.subarray(0, size)), index, span, file.plainLength);
      waiting = [bytes.subarray(size)];
      length -= size;
      index += 1;
    }
  }
  if (index <= last) throw new Error('sealed media is cut off');
}

function openChunk(file: SealedFile, index: number, sealed: Buffer): Buffer {
  const opening = createDecipheriv('aes-256-gcm', file.key, nonceOf(index), { authTagLength: TAG_BYTES });
  opening.setAAD(boundTo(file, index));
  opening.setAuthTag(sealed.subarray(sealed.length - TAG_BYTES));
  const body = opening.update(sealed.subarray(0, sealed.length - TAG_BYTES));
  opening.final();
  return body;
}

/** The part of a chunk that was asked for. */
function within(chunk: Buffer, index: number, { start, end }: ByteSpan, plainLength: number): Buffer {
  const own = plainSpanOf(index, plainLength);
  return chunk.subarray(Math.max(start, own.start) - own.start, Math.min(end, own.end) - own.start);
}

function nonceOf(index: number): Buffer {
  const nonce = Buffer.alloc(12);
  nonce.writeUInt32BE(index, 8);
  return nonce;
}

function boundTo({ projectId, objectId, plainLength }: SealedFile, index: number): Buffer {
  const isLast = index === chunkCount(plainLength) - 1;
  return Buffer.from(`${projectId}:media:${objectId}:${index}:${isLast ? 'last' : 'more'}:${plainLength}`);
}
