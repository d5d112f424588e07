import { inputShape } from '@vouchgraph/platform/input-shape';
import { LIMITS } from '@vouchgraph/platform/limits';
import { objectIdShape } from '@vouchgraph/platform/object-id';
import { z } from 'zod';

const id = objectIdShape.describe('Global id of the verification, or its sessionId.');
const text = z.string().max(LIMITS.listReasonLength, `must be at most ${LIMITS.listReasonLength} characters`);
const reason = text
  .refine((value) => value.trim() !== '', 'must not be empty')
  .describe('Reason, 1 to 1,024 characters.');

const replace = z
  .boolean()
  .nullish()
  .describe(
    'False: fails with `verification.already_reviewed` if another review applies. True by default: the review is added and applies.',
  );

export const approveShape = inputShape('ApproveVerificationInput', 'Completed check to approve.', {
  id,
  reason,
  replace,
});

export const rejectShape = inputShape('RejectVerificationInput', 'Completed check to reject.', {
  id,
  reason,
  replace,
});

export const withdrawalShape = inputShape(
  'ClearVerificationReviewInput',
  'Completed check whose review is withdrawn.',
  {
    id,
    reason: text.nullish().describe('Reason of the withdrawal, at most 1,024 characters. None by default.'),
  },
);
