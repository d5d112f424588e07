const WIDTH = 110;

type Part = string | Part[];

/**
 * JSON over several lines, without loss: only line breaks and the spaces after them are added, and control
 * characters and spaces between tokens of the body itself are shown as <20>. Text that is not JSON stays one
 * line.
 */
export function bodyLines(text: string): string {
  const tokens = text.match(/"(?:[^"\\]|\\.)*"|[{}[\],:]|\s|[^\s"{}[\],:]+/g) ?? [];
  if (!/^[{[]/.test(text) || tokens.join('') !== text) return visible(text);
  return lines(partsOf(tokens.map((token) => (/^\s$/.test(token) ? visible(token) : token))), '');
}

/** Line ends of a table start a new line; other control characters and lone spaces are named. */
function visible(text: string): string {
  const hex = (character: string) => `<${character.charCodeAt(0).toString(16).padStart(2, '0')}>`;
  if (text === ' ') return hex(text);
  return text.replace(/[\p{Cc}\ufeff]/gu, (character) => hex(character) + (character === '\n' ? '\n' : ''));
}

/** A bracket with what it contains is one part. */
function partsOf(tokens: readonly string[]): Part[] {
  const stack: Part[][] = [[]];
  for (const token of tokens) {
    if (token === '{' || token === '[') stack.push([]);
    stack.at(-1)!.push(token);
    if (token === '}' || token === ']') {
      const closed = stack.pop()!;
      stack.at(-1)!.push(closed);
    }
  }
  return stack[0]!;
}

const flat = (part: Part): string => (typeof part === 'string' ? part : part.map(flat).join(''));

function lines(parts: readonly Part[], indent: string): string {
  return parts.map((part) => (typeof part === 'string' ? part : bracketLines(part, indent))).join('');
}

function bracketLines(parts: readonly Part[], indent: string): string {
  const whole = parts.map(flat).join('');
  if (indent.length + whole.length <= WIDTH) return whole;
  const inner = `${indent} `;
  const [open, ...rest] = parts as [string, ...Part[]];
  const close = rest.pop() as string;
  let text = `${open}\n${inner}`;
  for (const part of rest) {
    text += typeof part === 'string' ? part : bracketLines(part, inner);
    if (part === ',') text += `\n${inner}`;
  }
  return `${text}\n${indent}${close}`;
}
