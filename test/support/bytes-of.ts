import type { ByteSource } from '@vouchgraph/platform/paged-file';

/** Bytes in memory as those of a file. */
export function bytesOf(buffer: Buffer): ByteSource {
  return {
    size: buffer.length,
    byteAt: (position) => buffer.readUInt8(position),
  };
}
