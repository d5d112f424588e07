import { createInterface } from 'node:readline/promises';
import { UsageError } from './usage-error.ts';

/** Asks a question on the terminal. Throws a UsageError if the input is not a terminal, where `--yes` is required. */
export async function isConfirmed(question: () => Promise<string>, purpose = ''): Promise<boolean> {
  if (!process.stdin.isTTY)
    throw new UsageError(
      `--yes: required${purpose && ` ${purpose}`} when the input is not a terminal`,
      'yes',
    );
  const terminal = createInterface({ input: process.stdin, output: process.stderr });
  try {
    const answer = await terminal.question(`${await question()} [y/N] `);
    return /^y(es)?$/i.test(answer.trim());
  } finally {
    terminal.close();
  }
}
