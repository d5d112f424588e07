import type { AppError } from '@vouchgraph/platform/errors';
import type { AccountService } from '../accounts/account-service.ts';
import type { EmailCheckService } from '../email-checks/email-check-service.ts';
import type { ListService } from '../lists/list-service.ts';
import type { OutcomeService } from '../outcomes/outcome-service.ts';
import type { Viewer } from '../projects/access-service.ts';
import type { RuleService } from '../rules/rule-service.ts';
import type { SessionService } from '../sessions/session-service.ts';
import type { CaptureService } from '../verification/capture/capture-service.ts';
import type { VerificationService } from '../verification/verification-service.ts';
import type { EndpointService } from '../webhooks/endpoint-service.ts';
import type { SetIds } from './set-ids.ts';

/** Services of requests, through which a set is created and removed. */
export type DemonstrationServices = {
  readonly accounts: Pick<AccountService, 'authenticate' | 'remove'>;
  readonly captures: Pick<CaptureService, 'getFor' | 'show'>;
  readonly emailChecks: Pick<EmailCheckService, 'add' | 'find'>;
  readonly lists: Pick<ListService, 'create' | 'remove' | 'addAccounts' | 'putOnStandardList'>;
  readonly outcomes: Pick<OutcomeService, 'report'>;
  readonly rules: Pick<RuleService, 'create' | 'update'>;
  readonly sessions: Pick<SessionService, 'simulate' | 'get'>;
  readonly verifications: Pick<VerificationService, 'create' | 'review'>;
  readonly webhooks: Pick<EndpointService, 'create' | 'find' | 'remove'>;
};

/** What steps work on. */
export type StepContext = {
  readonly services: DemonstrationServices;
  readonly viewer: Viewer;
  readonly ids: SetIds;
  /** Creation of the set, from which times in the plan are counted. */
  readonly createdAt: Date;
};

/** One step of a filling or a removal. It can be repeated. `wait`: it is to be repeated later. */
export type Step = (context: StepContext) => Promise<'done' | 'wait'>;

/** A step that is done when it returns. */
export const step =
  (work: (context: StepContext) => Promise<unknown>): Step =>
  async (context) => {
    await work(context);
    return 'done';
  };

/** The result; null if the object does not exist. */
export function orNotFound<T>(work: Promise<T>): Promise<T | null> {
  return unlessError(work, ({ kind }) => kind === 'not_found');
}

/** The result; null after an expected error. */
export async function unlessError<T>(
  work: Promise<T>,
  isExpected: (error: Pick<AppError, 'code' | 'kind'>) => boolean,
): Promise<T | null> {
  try {
    return await work;
  } catch (error) {
    if (isExpected(error as AppError)) return null;
    throw error;
  }
}
