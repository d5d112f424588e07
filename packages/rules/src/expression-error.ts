/** How much of a long line is shown on either side of the mistake. */
const SHOWN = 60;

/** A mistake in the text of an expression, with a message and a position. */
export class ExpressionError extends Error {
  readonly text: string;
  /** Characters before the mistake. */
  readonly position: number;
  /** From 1. */
  readonly line: number;
  /** From 1, in characters of its line. */
  readonly column: number;

  constructor(message: string, text: string, position: number) {
    super(message);
    this.name = 'ExpressionError';
    this.text = text;
    this.position = position;
    const before = text.slice(0, position);
    this.line = before.split('\n').length;
    this.column = position - before.lastIndexOf('\n');
  }

  /** The line of the mistake, a long one cut, and below it a caret under the place. */
  explain(): string {
    const start = this.position - this.column + 1;
    const next = this.text.indexOf('\n', this.position);
    const line = this.text.slice(start, next < 0 ? undefined : next).replace(/\r$/, '');
    const at = this.column - 1;
    const from = Math.max(0, at - SHOWN);
    const before = (from > 0 ? '…' : '') + line.slice(from, at);
    const after = line.slice(at, at + SHOWN) + (line.length > at + SHOWN ? '…' : '');
    // A tab below a tab keeps the caret in its place, however wide it is shown.
    return `${before}${after}\n${before.replaceAll(/[^\t]/g, ' ')}^`;
  }
}
