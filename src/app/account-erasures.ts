import { auditErasure } from '../domain/audit/erase-account-store.ts';
import { decisionsErasure } from '../domain/decisions/erase-account-store.ts';
import { emailChecksErasure } from '../domain/email-checks/erase-account-store.ts';
import { eventsErasure } from '../domain/events/erase-account-store.ts';
import { answersErasure } from '../domain/idempotency/erase-account-store.ts';
import { linkingErasure } from '../domain/linking/erase-account-store.ts';
import { listsErasure } from '../domain/lists/erase-account-store.ts';
import type { AccountErasure } from '../domain/model/account-erasure-store.ts';
import { outcomesErasure } from '../domain/outcomes/erase-account-store.ts';
import { revealsErasure } from '../domain/reveals/erase-account-store.ts';
import { rulesErasure } from '../domain/rules/erase-account-store.ts';
import { sessionsErasure } from '../domain/sessions/erase-account-store.ts';
import { statsErasure } from '../domain/stats/erase-account-store.ts';
import { verificationErasure, verificationLocks } from '../domain/verification/erase-account-store.ts';
import { webhooksErasure } from '../domain/webhooks/erase-account-store.ts';

/**
 * What each folder of the domain erases of an account, in the order of the statements. Verifications and checks of emails are locked
 * before deliveries. Statistics read the rows before any of them is deleted. Deliveries are deleted before the events by which they
 * are found, and sessions before these events.
 */
export const ACCOUNT_ERASURES: readonly AccountErasure[] = [
  verificationLocks,
  statsErasure,
  emailChecksErasure,
  webhooksErasure,
  verificationErasure,
  linkingErasure,
  sessionsErasure,
  eventsErasure,
  listsErasure,
  decisionsErasure,
  rulesErasure,
  outcomesErasure,
  auditErasure,
  revealsErasure,
  answersErasure,
];
