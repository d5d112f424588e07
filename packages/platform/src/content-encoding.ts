import { promisify } from 'node:util';
import { brotliCompress, brotliCompressSync, constants, gzip, gzipSync } from 'node:zlib';

export type ContentEncoding = 'br' | 'gzip';

/**
 * Negotiates the encoding of a response by the Accept-Encoding header (RFC 9110 section 12.5.3): the supported encoding with the
 * highest weight, Brotli before gzip at equal weights. Null for an unencoded body, also when the client prefers it.
 */
export function negotiateEncoding(header: string): ContentEncoding | null {
  if (header === '') return null;
  const weights = new Map<string, number>();
  for (const part of header.toLowerCase().split(',')) {
    const [coding = '', ...parameters] = part.split(';').map((each) => each.trim());
    if (coding !== '') weights.set(coding, weightOf(parameters));
  }
  const any = weights.get('*') ?? 0;
  const [br, gzipped] = [weights.get('br') ?? any, weights.get('gzip') ?? any];
  const best = Math.max(br, gzipped);
  if (best === 0 || (weights.get('identity') ?? 0) > best) return null;
  return br === best ? 'br' : 'gzip';
}

/** Weight of a coding; 1 by default, 0 for a malformed weight. */
function weightOf(parameters: readonly string[]): number {
  const weight = parameters.find((parameter) => /^q\s*=/.test(parameter));
  if (weight === undefined) return 1;
  const value = /^q=(0(?:\.\d{1,3})?|1(?:\.0{1,3})?)$/.exec(weight)?.[1];
  return value === undefined ? 0 : Number(value);
}

/** `fast` for responses that are compressed per request, `small` for files that are compressed once. */
export type Effort = 'fast' | 'small';

const gzipAsync = promisify(gzip);
const brotliAsync = promisify(brotliCompress);

/**
 * Longer bodies are compressed in the thread pool, so that the event loop is not blocked. Shorter bodies take less than 0.1 ms;
 * the round trip to a thread costs more than twice that.
 */
const MAX_SYNC_BYTES = 32 * 1024;

/** Fast responses use the lowest levels: higher ones save up to a third of the size in two to three times the time. */
export async function encodeContent(
  body: string | Buffer,
  encoding: ContentEncoding,
  effort: Effort,
): Promise<Buffer> {
  const bytes = typeof body === 'string' ? Buffer.byteLength(body) : body.length;
  const isShort = effort === 'fast' && bytes <= MAX_SYNC_BYTES;
  if (encoding === 'gzip') {
    const options = { level: effort === 'fast' ? 1 : 9 };
    return isShort ? gzipSync(body, options) : gzipAsync(body, options);
  }
  const options = {
    params: {
      [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
      [constants.BROTLI_PARAM_QUALITY]: effort === 'fast' ? 1 : qualityOfFile(bytes),
      [constants.BROTLI_PARAM_SIZE_HINT]: bytes,
    },
  };
  return isShort ? brotliCompressSync(body, options) : brotliAsync(body, options);
}

/** Larger files use a lower quality, so that the first client does not wait for seconds. */
const LARGE_FILE_BYTES = 256 * 1024;

function qualityOfFile(bytes: number): number {
  return bytes > LARGE_FILE_BYTES ? 6 : 11;
}
