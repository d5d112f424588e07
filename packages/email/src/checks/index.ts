export { addressHashOf } from './address-hash.ts';
export {
  checkBatchSize,
  checkEmailShape,
  checkEmailsShape,
  readCheckInput,
  type SentEmail,
} from './check-input.ts';
export {
  CHECK_FAILED,
  EMAIL_BATCH_STATUSES,
  EMAIL_CHECK_STATUSES,
  type EmailBatch,
  type EmailBatchStatus,
  type EmailCheck,
  type EmailCheckError,
  type EmailCheckErrorCode,
  type EmailCheckInput,
  type EmailCheckOutcome,
  type EmailCheckStatus,
} from './email-check.ts';
