const FINAL_TEXT = 0x81;
/** Lengths that need more than the seven bits of the second byte. */
const IN_TWO_BYTES = 126;
const IN_EIGHT_BYTES = 127;
const MAX_OF_TWO_BYTES = 0xffff;

/** An unfragmented, unmasked text frame of RFC 6455 for a payload of `length` bytes, which begins at `offset`. */
export function textFrame(length: number): { bytes: Buffer; offset: number } {
  const offset = length < IN_TWO_BYTES ? 2 : length <= MAX_OF_TWO_BYTES ? 4 : 10;
  const bytes = Buffer.allocUnsafe(offset + length);
  bytes[0] = FINAL_TEXT;
  if (offset === 2) bytes[1] = length;
  else if (offset === 4) {
    bytes[1] = IN_TWO_BYTES;
    bytes.writeUInt16BE(length, 2);
  } else {
    bytes[1] = IN_EIGHT_BYTES;
    bytes.writeBigUInt64BE(BigInt(length), 2);
  }
  return { bytes, offset };
}
