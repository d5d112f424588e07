import { promisify } from 'node:util';
import { brotliCompress, brotliCompressSync, constants, gzip, gzipSync } from 'node:zlib';

export type ContentEncoding = 'br' | 'gzip';

/**
 * The encoding of an answer by the Accept-Encoding header (RFC 9110 section 12.5.3): the supported one with the highest
 * weight, Brotli before gzip at equal weights. Null for the plain body, which is also sent when the client prefers it.
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

/** 1 without a weight; a malformed one counts as 0, so that the coding is not used. */
function weightOf(parameters: readonly string[]): number {
  const weight = parameters.find((parameter) => /^q\s*=/.test(parameter));
  if (weight === undefined) return 1;
  const value = /^q=(0(?:\.\d{1,3})?|1(?:\.0{1,3})?)$/.exec(weight)?.[1];
  return value === undefined ? 0 : Number(value);
}

/** `fast` for answers that are compressed once for each request, `small` for files that are compressed once. */
export type Effort = 'fast' | 'small';

const gzipAsync = promisify(gzip);
const brotliAsync = promisify(brotliCompress);

/**
 * Longer bodies are compressed in a thread of the pool, so that the event loop continues. Shorter ones take less than
 * 0.1 ms; the way to a thread and back costs more than twice that.
 */
const MAX_SYNC_BYTES = 32 * 1024;

/** Levels of fast answers are the lowest: higher ones save up to a third of the size for two to three times the time. */
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

/** The first client of a large file does not wait for seconds. */
const LARGE_FILE_BYTES = 256 * 1024;

function qualityOfFile(bytes: number): number {
  return bytes > LARGE_FILE_BYTES ? 6 : 11;
}
