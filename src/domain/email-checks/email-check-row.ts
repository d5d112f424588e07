import { parseEmail } from '@vouchgraph/email';
import {
  addressHashOf,
  type EmailCheck,
  type EmailCheckInput,
  type EmailCheckOutcome,
  type EmailCheckStatus,
} from '@vouchgraph/email/checks';
import type { ProjectCipher } from '@vouchgraph/platform/crypto';
import { mapInSlices } from '@vouchgraph/platform/slices';
import type { Project } from '../projects/project.ts';

/** A row of `email_checks`. */
export type CheckRow = {
  check_id: string;
  batch_id: string | null;
  position: number | null;
  account_id: string | null;
  status: EmailCheckStatus;
  input: Buffer;
  result: Buffer | null;
  request_id: string;
  created_at: Date;
  completed_at: Date | null;
};

export const CHECK_COLUMNS =
  'check_id, batch_id, position, account_id, status, input, result, request_id, created_at, completed_at';

const INPUT = 'email_checks.input';
const RESULT = 'email_checks.result';

/** Decrypts a check. */
export function toCheck(cipher: ProjectCipher, row: CheckRow): EmailCheck {
  const outcome = row.result && cipher.decryptJson<EmailCheckOutcome>(RESULT, row.check_id, row.result);
  return {
    checkId: row.check_id,
    batchId: row.batch_id,
    position: row.position,
    accountId: row.account_id,
    status: row.status,
    input: openInput(cipher, row),
    assessment: outcome && 'assessment' in outcome ? outcome.assessment : null,
    error: outcome && 'error' in outcome ? outcome.error : null,
    requestId: row.request_id,
    createdAt: row.created_at,
    completedAt: row.completed_at,
  };
}

/** An input that cannot be decrypted fails permanently: its check ends with an error and stays readable. */
function openInput(cipher: ProjectCipher, { check_id, input }: CheckRow): EmailCheckInput | null {
  try {
    return cipher.decryptJson<EmailCheckInput>(INPUT, check_id, input);
  } catch {
    return null;
  }
}

/** Decrypts checks in slices, yielding to the event loop. */
export function toChecks({ cipher }: Project, rows: readonly CheckRow[]): Promise<EmailCheck[]> {
  return mapInSlices(rows, (row) => toCheck(cipher, row));
}

/** A check to work on. */
export type PendingCheck = EmailCheck & { readonly attempts: number };

export type PendingRow = CheckRow & { attempts: number };

/** Decrypts pending checks. */
export async function toPending(project: Project, rows: readonly PendingRow[]): Promise<PendingCheck[]> {
  const checks = await toChecks(project, rows);
  return checks.map((check, index) => ({ ...check, attempts: rows[index]!.attempts }));
}

/** A check that is added. */
export type NewCheck = {
  readonly checkId: string;
  readonly input: EmailCheckInput;
  /** Address by which the check is found and erased, if it differs from that of the input. */
  readonly address?: string;
};

/** A stored check. */
export type EncryptedCheck = {
  readonly checkId: string;
  readonly addressHash: Buffer;
  readonly input: Buffer;
};

/** Encrypts checks for their rows in slices, yielding to the event loop. */
export function encryptChecks(project: Project, checks: readonly NewCheck[]): Promise<EncryptedCheck[]> {
  return mapInSlices(checks, (check) => encryptCheck(project, check));
}

/** Encrypts a check for its row. */
export function encryptCheck(
  { cipher }: Project,
  { checkId, input, address = input.email }: NewCheck,
): EncryptedCheck {
  return {
    checkId,
    addressHash: addressHashOf(cipher, parseEmail(address)),
    input: cipher.encryptJson(INPUT, checkId, input),
  };
}

/** The status of a check that ends so. */
export function statusOf(outcome: EmailCheckOutcome): EmailCheckStatus {
  return 'assessment' in outcome ? 'success' : 'error';
}

/** Encrypts how a check ended for its row. */
export function encryptOutcome(cipher: ProjectCipher, checkId: string, outcome: EmailCheckOutcome): Buffer {
  return cipher.encryptCompactJson(RESULT, checkId, outcome);
}
