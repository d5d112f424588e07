/**
 * True when the text cannot be stored: PostgreSQL refuses NUL in text and in jsonb, and a lone surrogate would be
 * replaced on its way through UTF-8, so that what is read back is not what was sent.
 */
export function hasForbiddenCharacters(text: string): boolean {
  return text.includes('\0') || !text.isWellFormed();
}

type Frame = { container: object; keys: string[]; next: number };

/**
 * The JSON path of the first string or key, in document order, that holds forbidden characters; null when there is
 * none. Takes parsed JSON. Keeps its own stack: nesting is the sender's choice and must not exhaust the engine's.
 */
export function findForbiddenText(value: unknown): string | null {
  if (isForbiddenString(value)) return '$';
  const frames: Frame[] = isContainer(value) ? [openFrame(value)] : [];
  while (frames.length > 0) {
    const frame = frames.at(-1)!;
    if (frame.next === frame.keys.length) {
      frames.pop();
      continue;
    }
    const key = frame.keys[frame.next]!;
    frame.next += 1;
    const child = (frame.container as Record<string, unknown>)[key];
    if (hasForbiddenCharacters(key) || isForbiddenString(child)) return pathOf(frames);
    if (isContainer(child)) frames.push(openFrame(child));
  }
  return null;
}

/**
 * How deeply arrays and objects nest: 0 for a scalar, 1 for `{}` and `[1]`, 2 for `{"a":[]}`. Counting stops one past
 * the limit, so that a hostile body costs no more than an honest one.
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

function isContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

function isForbiddenString(value: unknown): boolean {
  return typeof value === 'string' && hasForbiddenCharacters(value);
}

function openFrame(container: object): Frame {
  return { container, keys: Object.keys(container), next: 0 };
}

const PLAIN_KEY = /^[A-Za-z_$][\w$]*$/;

function pathOf(frames: Frame[]): string {
  let path = '$';
  for (const { container, keys, next } of frames) {
    const key = keys[next - 1]!;
    if (Array.isArray(container)) path += `[${key}]`;
    else path += PLAIN_KEY.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`;
  }
  return path;
}
