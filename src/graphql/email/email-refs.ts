import type { EmailBatch, EmailCheck } from '@vouchgraph/email/checks';
import type { EmailImport } from '../../domain/email-checks/import/import-record.ts';
import { builder } from '../kernel/builder.ts';

/* Types of email checks apart from their fields: each refers to the others. */

export const EmailCheckType = builder.objectRef<EmailCheck>('EmailCheck');
export const EmailBatchType = builder.objectRef<EmailBatch>('EmailBatch');
export const EmailImportType = builder.objectRef<EmailImport>('EmailImport');
