import type { ByteSource } from '../../src/platform/paged-file.ts';

/** Bytes in memory as those of a file. */
export function bytesOf(buffer: Buffer): ByteSource {
  return {
    size: buffer.length,
    byteAt: (position) => buffer.readUInt8(position),
  };
}
