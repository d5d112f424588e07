import type { EmailAssessment } from '../email-assessment.ts';
import type { EmailClaims } from '../email-evidence.ts';
import type { RowProblem } from '../files/read-rows.ts';

export const EMAIL_CHECK_STATUSES = ['pending', 'success', 'error'] as const;
export type EmailCheckStatus = (typeof EMAIL_CHECK_STATUSES)[number];

export const EMAIL_BATCH_STATUSES = ['pending', 'processing', 'completed'] as const;
export type EmailBatchStatus = (typeof EMAIL_BATCH_STATUSES)[number];

/** Input of a check; stored encrypted. */
export type EmailCheckInput = {
  readonly email: string;
  /** Null when nothing is claimed. */
  readonly claims: EmailClaims | null;
  /** Whether the result contains the comparison of the claims with connected accounts and profiles. */
  readonly identityIntelligence: boolean;
  /** Line of an imported file, from 1, and the columns of its row. */
  readonly line?: number;
  readonly row?: readonly string[];
};

/** Code of a check that failed three times. */
export const CHECK_FAILED = 'email.check_failed' as const;

/** Codes of checks without a result; those of rows of imports are row problems. */
export type EmailCheckErrorCode = typeof CHECK_FAILED | RowProblem;

/** Reason why a check has no result. */
export type EmailCheckError = { readonly code: EmailCheckErrorCode; readonly message: string };

export type EmailCheck = {
  /** Of a check outside of batches this is the id of its request. */
  readonly checkId: string;
  readonly batchId: string | null;
  /** Place in its batch, from 0; null outside of batches. */
  readonly position: number | null;
  /** Internal id of the account of the email; null for checks by clients. */
  readonly accountId: string | null;
  readonly status: EmailCheckStatus;
  /** Null when the stored one cannot be decrypted. */
  readonly input: EmailCheckInput | null;
  /** Null unless the status is `success`. */
  readonly assessment: EmailAssessment | null;
  /** Null unless the status is `error`. */
  readonly error: EmailCheckError | null;
  readonly requestId: string;
  readonly createdAt: Date;
  readonly completedAt: Date | null;
};

export type EmailBatch = {
  readonly batchId: string;
  /** Import of the batch, and the number of the batch in it from 0; null for a batch without an import. */
  readonly importId: string | null;
  readonly importNumber: number | null;
  /** '' when it has none. */
  readonly name: string;
  readonly status: EmailBatchStatus;
  readonly totalCount: number;
  readonly completedCount: number;
  /** Of the completed checks, those without a result. */
  readonly failedCount: number;
  readonly identityIntelligence: boolean;
  /** Whether each address emits an event. */
  readonly emitsEach: boolean;
  readonly actor: string;
  readonly requestId: string;
  readonly createdAt: Date;
  readonly startedAt: Date | null;
  readonly completedAt: Date | null;
};

/** How a check ends. */
export type EmailCheckOutcome =
  | { readonly assessment: EmailAssessment }
  | { readonly error: EmailCheckError };
