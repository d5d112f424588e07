import type { ByteSpan } from './chunk-layout.ts';

/**
 * The Range header of a request for a body of `size` bytes (RFC 9110 section 14): one span; 'all' without a header, for
 * several spans and for an invalid header, which a server may ignore; 'none' for a span after the end.
 */
export function parseByteRange(header: string, size: number): ByteSpan | 'all' | 'none' {
  const match = /^bytes=(\d*)-(\d*)$/i.exec(header.trim());
  if (!match) return 'all';
  const [, from = '', to = ''] = match;
  if (from === '' && to === '') return 'all';
  if (from === '') {
    const length = Number(to);
    return length === 0 || size === 0 ? 'none' : { start: Math.max(0, size - length), end: size };
  }
  const start = Number(from);
  if (to !== '' && Number(to) < start) return 'all';
  return start >= size ? 'none' : { start, end: to === '' ? size : Math.min(size, Number(to) + 1) };
}
