import { oneLine } from './print.ts';

/** A terminal line that is overwritten with each update. Writes nothing when the stream is not a terminal. */
export function createProgressLine(stream: NodeJS.WriteStream = process.stderr) {
  let isShown = false;
  return {
    show(text: string): void {
      if (!stream.isTTY) return;
      isShown = true;
      stream.write(`\r\x1b[K${oneLine(text)}`);
    },
    /** Clears the line for other output. */
    clear(): void {
      if (isShown) stream.write('\r\x1b[K');
      isShown = false;
    },
  };
}
