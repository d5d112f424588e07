import type { Project } from '../projects/project.ts';
import { findAnswers, replaceAnswer } from './idempotency-store.ts';

const GONE = JSON.stringify({ statusCode: 400, message: 'Account not found' });

/**
 * Takes an erased account out of the answers that are kept for repetition: those that name it say from now on that it
 * is not there. Answers live for a day and are sealed, so all of the project's are opened and looked through.
 */
export async function forgetAnswers({ database, cipher }: Project, accountId: string): Promise<void> {
  const named = JSON.stringify(accountId);
  for (const { key_hash, body } of await findAnswers(database)) {
    const row = key_hash.toString('hex');
    if (!cipher.openJson<string>('idempotency_keys', row, body).includes(named)) continue;
    const sealed = cipher.sealJson('idempotency_keys', row, GONE);
    await replaceAnswer(database, key_hash, { status: 400, body: sealed });
  }
}
