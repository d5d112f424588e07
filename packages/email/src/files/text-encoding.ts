import { invalidInput } from '@vouchgraph/platform/errors';
import { oneOfText } from '@vouchgraph/platform/wording';

/** Encodings of imported files. */
const TEXT_ENCODINGS = ['utf-8', 'utf-16le', 'utf-16be', 'windows-1252'] as const;
export type TextEncoding = (typeof TEXT_ENCODINGS)[number];

type Chunks = AsyncIterable<Uint8Array>;

/** Length of the longest byte order mark. */
const BYTE_ORDER_MARK_BYTES = 3;
/** No byte of UTF-8: a row that contains it is reported as undecodable. */
const INVALID_BYTE = Buffer.from([0xff]);
const LONE_SURROGATE = /[\ud800-\udfff]/u;

/** Reads the name of an encoding; '' is null: the file decides. */
export function parseEncoding(name: string): TextEncoding | null {
  if (name === '') return null;
  const found = TEXT_ENCODINGS.find((encoding) => encoding === name.trim().toLowerCase());
  if (found === undefined) throw invalidInput(`encoding: ${oneOfText(TEXT_ENCODINGS)}`, ['encoding']);
  return found;
}

/**
 * The bytes of a text as UTF-8 without a byte order mark. Without `asked`, the encoding is detected by the byte order mark,
 * then by NUL as the first or second byte (UTF-16), and is otherwise UTF-8. Invalid UTF-8 and lone surrogates of UTF-16
 * stay invalid, so that their row can be reported.
 * Detectors of character sets guess by frequency: chardet takes a file of UTF-8 whose first accent is in its last row for
 * ISO-8859-1, and one of UTF-16 without a mark too.
 */
export async function openText(
  chunks: Chunks,
  asked: TextEncoding | null = null,
): Promise<{ encoding: TextEncoding; bytes: AsyncGenerator<Buffer> }> {
  const iterator = chunks[Symbol.asyncIterator]();
  let head = Buffer.alloc(0);
  while (head.length < BYTE_ORDER_MARK_BYTES) {
    const next = await iterator.next();
    if (next.done) break;
    head = head.length === 0 ? asBuffer(next.value) : Buffer.concat([head, next.value]);
  }
  const mark = byteOrderMarkOf(head);
  const encoding = asked ?? mark?.encoding ?? encodingOfHead(head);
  const start = mark !== null && mark.encoding === encoding ? mark.length : 0;
  const rest = async function* () {
    try {
      if (head.length > start) yield head.subarray(start);
      for (let next = await iterator.next(); !next.done; next = await iterator.next())
        yield asBuffer(next.value);
    } finally {
      await iterator.return?.();
    }
  };
  return { encoding, bytes: transcode(rest(), encoding) };
}

function asBuffer(chunk: Uint8Array): Buffer<ArrayBuffer> {
  return Buffer.from(chunk.buffer as ArrayBuffer, chunk.byteOffset, chunk.byteLength);
}

function byteOrderMarkOf(head: Buffer): { encoding: TextEncoding; length: number } | null {
  if (head[0] === 0xef && head[1] === 0xbb && head[2] === 0xbf) return { encoding: 'utf-8', length: 3 };
  if (head[0] === 0xff && head[1] === 0xfe) return { encoding: 'utf-16le', length: 2 };
  if (head[0] === 0xfe && head[1] === 0xff) return { encoding: 'utf-16be', length: 2 };
  return null;
}

/** The first character of a table is ASCII more often than not, and never NUL. */
function encodingOfHead(head: Buffer): TextEncoding {
  if (head.length < 2) return 'utf-8';
  if (head[0] !== 0 && head[1] === 0) return 'utf-16le';
  return head[0] === 0 && head[1] !== 0 ? 'utf-16be' : 'utf-8';
}

function transcode(chunks: AsyncGenerator<Buffer>, encoding: TextEncoding): AsyncGenerator<Buffer> {
  if (encoding === 'utf-8') return chunks;
  return encoding === 'windows-1252' ? fromWindows1252(chunks) : fromUtf16(chunks, encoding === 'utf-16be');
}

async function* fromWindows1252(chunks: AsyncGenerator<Buffer>): AsyncGenerator<Buffer> {
  const decoder = new TextDecoder('windows-1252');
  for await (const chunk of chunks) yield Buffer.from(decoder.decode(chunk));
}

async function* fromUtf16(chunks: AsyncGenerator<Buffer>, isBigEndian: boolean): AsyncGenerator<Buffer> {
  let carry: Buffer = Buffer.alloc(0);
  for await (const chunk of chunks) {
    const bytes = Buffer.concat([carry, chunk]);
    let end = bytes.length - (bytes.length % 2);
    // A pair of surrogates is decoded whole.
    if (end > 0 && isHighSurrogate(bytes[end - (isBigEndian ? 2 : 1)]!)) end -= 2;
    // A copy: the chunk belongs to its sender, and swapping happens in place.
    const whole = Buffer.from(bytes.subarray(0, end));
    carry = bytes.subarray(end);
    if (end > 0) yield fromUnits(isBigEndian ? whole.swap16() : whole);
  }
  if (carry.length === 0) return;
  const whole = Buffer.from(carry.subarray(0, carry.length - (carry.length % 2)));
  yield fromUnits(isBigEndian ? whole.swap16() : whole);
  if (carry.length % 2 === 1) yield INVALID_BYTE;
}

function isHighSurrogate(upperByte: number): boolean {
  return upperByte >= 0xd8 && upperByte <= 0xdb;
}

function fromUnits(units: Buffer): Buffer {
  const text = units.toString('utf16le');
  if (text.isWellFormed()) return Buffer.from(text);
  return Buffer.concat(
    text
      .split(LONE_SURROGATE)
      .flatMap((part, index) => (index === 0 ? [] : [INVALID_BYTE]).concat(Buffer.from(part))),
  );
}
