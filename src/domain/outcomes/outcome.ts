import { accountIdShape } from '@vouchgraph/platform/account-id';
import { inputShape } from '@vouchgraph/platform/input-shape';
import { z } from 'zod';

export const OUTCOMES = ['fraud', 'legitimate', 'chargeback'] as const;
export type Outcome = (typeof OUTCOMES)[number];

/** Label of an account by the outcome reported last; a chargeback counts as fraud. */
export type Label = 'fraud' | 'legitimate';

export function labelOf(outcome: string): Label {
  return outcome === 'legitimate' ? 'legitimate' : 'fraud';
}

const MAX_NOTE_LENGTH = 1024;

export const outcomeShape = z.enum(OUTCOMES);

export const reportShape = inputShape('ReportOutcomeInput', 'Outcome of an account.', {
  accountId: accountIdShape.describe('Id of the account, assigned by the client.'),
  outcome: outcomeShape.describe('Outcome.'),
  at: z
    .date()
    .describe(
      'Time of the outcome, such as the time of the chargeback. Must not be in the future; clocks can differ by ten minutes.',
    ),
  note: z
    .string()
    .max(MAX_NOTE_LENGTH, `must be at most ${MAX_NOTE_LENGTH} characters`)
    .nullish()
    .describe(
      `Note for operators, at most ${MAX_NOTE_LENGTH.toLocaleString('en')} characters. None if null or ` +
        'empty.',
    ),
});
export type OutcomeReport = z.infer<typeof reportShape>;

/** Table name of outcomes, which is additional authenticated data of encrypted notes. */
export const OUTCOMES_TABLE = 'account_outcomes';
