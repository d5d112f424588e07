import { isContainer } from './exact-json.ts';

/**
 * True for a text that cannot be stored: PostgreSQL rejects NUL in text and jsonb, and UTF-8 encoding replaces a lone surrogate, so
 * that a read would return another text.
 */
export function hasForbiddenCharacters(text: string): boolean {
  return text.includes('\0') || !text.isWellFormed();
}

/**
 * Whether a text is a segment that URL libraries remove from paths (RFC 3986 section 5.2.4), also percent-encoded: with such an
 * id, a request for an account on a list would become a request for the list.
 */
export function isDotSegment(text: string): boolean {
  return text === '.' || text === '..';
}

/**
 * Nesting depth of arrays and objects: 0 for a scalar, 1 for `{}` and `[1]`, 2 for `{"a":[]}`. Counting stops at `limit + 1`, so
 * that the cost is bounded.
 */
export function jsonDepth(value: unknown, limit: number): number {
  let depth = 0;
  let level: object[] = isContainer(value) ? [value] : [];
  while (level.length > 0 && depth <= limit) {
    depth += 1;
    const deeper: object[] = [];
    for (const container of level) {
      for (const child of Object.values(container)) if (isContainer(child)) deeper.push(child);
    }
    level = deeper;
  }
  return depth;
}
