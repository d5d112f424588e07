import { createCipheriv, createDecipheriv, type KeyObject, randomBytes } from 'node:crypto';
import type { ProjectCipher } from '@vouchgraph/platform/crypto';
import {
  type ByteSpan,
  chunkCount,
  chunksOf,
  encryptedChunkLength,
  HEADER_BYTES,
  plainSpanOf,
  TAG_BYTES,
} from './chunk-layout.ts';

/*
 * AES-256-GCM over each chunk, with a separate key per file: it is derived from the project's media key and the salt in the
 * header, so that the index of a chunk is a sufficient nonce. Project, object, the index of the chunk, whether it is the last
 * chunk and the length of the file are authenticated: a chunk that was moved, truncated, reordered, modified or mixed with another
 * version cannot be decrypted.
 */
const VERSION = 1;
const PURPOSE = 'media';

/** Project and object of a file. */
export type MediaPlace = { readonly projectId: string; readonly objectId: string };

type EncryptedFile = MediaPlace & { readonly key: KeyObject; readonly plainLength: number };

/** Encrypts a file, piece by piece. */
export function* encryptMedia(
  cipher: ProjectCipher,
  place: MediaPlace,
  plain: Uint8Array,
): Generator<Buffer> {
  const salt = randomBytes(HEADER_BYTES - 1);
  const file = { ...place, key: cipher.fileKey(PURPOSE, salt), plainLength: plain.byteLength };
  yield Buffer.concat([Buffer.of(VERSION), salt]);
  for (let index = 0; index < chunkCount(file.plainLength); index++) {
    const { start, end } = plainSpanOf(index, file.plainLength);
    const encryption = createCipheriv('aes-256-gcm', file.key, nonceOf(index), { authTagLength: TAG_BYTES });
    encryption.setAAD(authenticatedData(file, index));
    const body = encryption.update(plain.subarray(start, end));
    yield Buffer.concat([body, encryption.final(), encryption.getAuthTag()]);
  }
}

/** Reads the header of an encrypted file; throws when it is invalid. */
export function encryptedFile(
  cipher: ProjectCipher,
  place: MediaPlace,
  header: Uint8Array,
  plainLength: number,
): EncryptedFile {
  if (header.byteLength !== HEADER_BYTES || header[0] !== VERSION)
    throw new Error('encrypted media of an unknown version');
  return { ...place, key: cipher.fileKey(PURPOSE, header.subarray(1)), plainLength };
}

/**
 * Decrypts a span. `encrypted`: bytes of the chunks that contain it, in pieces of any size. Each returned piece is authenticated.
 */
export async function* decryptMedia(
  file: EncryptedFile,
  span: ByteSpan,
  encrypted: AsyncIterable<Uint8Array>,
): AsyncGenerator<Buffer> {
  let { first: index } = chunksOf(span, file.plainLength);
  const { last } = chunksOf(span, file.plainLength);
  let waiting: Uint8Array[] = [];
  let length = 0;
  for await (const piece of encrypted) {
    waiting.push(piece);
    length += piece.byteLength;
    while (index <= last && length >= encryptedChunkLength(index, file.plainLength)) {
      const bytes = waiting.length === 1 ? Buffer.from(waiting[0]!) : Buffer.concat(waiting);
      const size = encryptedChunkLength(index, file.plainLength);
      yield within(decryptChunk(file, index, bytes.subarray(0, size)), index, span, file.plainLength);
      waiting = [bytes.subarray(size)];
      length -= size;
      index += 1;
    }
  }
  if (index <= last) throw new Error('encrypted media is cut off');
}

function decryptChunk(file: EncryptedFile, index: number, encrypted: Buffer): Buffer {
  const decryption = createDecipheriv('aes-256-gcm', file.key, nonceOf(index), { authTagLength: TAG_BYTES });
  decryption.setAAD(authenticatedData(file, index));
  decryption.setAuthTag(encrypted.subarray(encrypted.length - TAG_BYTES));
  const body = decryption.update(encrypted.subarray(0, encrypted.length - TAG_BYTES));
  decryption.final();
  return body;
}

/** The part of a chunk within the span. */
function within(chunk: Buffer, index: number, { start, end }: ByteSpan, plainLength: number): Buffer {
  const own = plainSpanOf(index, plainLength);
  return chunk.subarray(Math.max(start, own.start) - own.start, Math.min(end, own.end) - own.start);
}

function nonceOf(index: number): Buffer {
  const nonce = Buffer.alloc(12);
  nonce.writeUInt32BE(index, 8);
  return nonce;
}

function authenticatedData({ projectId, objectId, plainLength }: EncryptedFile, index: number): Buffer {
  const isLast = index === chunkCount(plainLength) - 1;
  return Buffer.from(`${projectId}:media:${objectId}:${index}:${isLast ? 'last' : 'more'}:${plainLength}`);
}
