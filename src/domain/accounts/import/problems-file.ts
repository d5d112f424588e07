import { open } from 'node:fs/promises';
import { readRecords } from './read-records.ts';

/** Rejected lines with their reasons, as NDJSON `{line, reason}`, in the order of the imported file. */
export type ProblemsFile = {
  add(line: number, reason: string): void;
  /** Number of problems that are not flushed to disk. */
  readonly waiting: number;
  flush(): Promise<void>;
  close(): Promise<void>;
};

/** Opens the file, and truncates problems from `line` on: these lines are imported again. */
export async function openProblems(path: string, line: number): Promise<ProblemsFile> {
  const file = await open(path, 'a');
  try {
    await file.truncate(await bytesBefore(path, line));
  } catch (error) {
    await file.close();
    throw error;
  }
  let waiting: string[] = [];
  return {
    add: (at, reason) => void waiting.push(`${JSON.stringify({ line: at, reason })}\n`),
    get waiting() {
      return waiting.length;
    },
    async flush() {
      if (waiting.length === 0) return;
      const text = waiting.join('');
      waiting = [];
      await file.appendFile(text);
      await file.datasync();
    },
    close: () => file.close(),
  };
}

async function bytesBefore(path: string, line: number): Promise<number> {
  let bytes = 0;
  if (line === 1) return bytes;
  for await (const entry of readRecords(path, 'ndjson')) {
    // A killed process can leave an incomplete line.
    if ('problem' in entry || !isBefore(entry.record, line)) return bytes;
    bytes = entry.next.byte;
  }
  return bytes;
}

function isBefore(entry: unknown, line: number): boolean {
  const { line: at } = entry as { line?: unknown };
  return typeof at === 'number' && at < line;
}
