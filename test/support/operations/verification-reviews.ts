import { globalIdOf } from '../../../src/graphql/kernel/node-id.ts';
import { completedCheck, REVIEWED, withInput } from './behavior.ts';
import { foreignInput } from './foreign.ts';
import type { Operations } from './operation.ts';

/** Reviews of verifications. */
export const VERIFICATION_REVIEWS_OPERATIONS: Operations = {
  'mutation approveVerification': {
    behavior: {
      name: 'decides a completed check as real',
      given: completedCheck,
      document: withInput('approveVerification', 'ApproveVerificationInput', REVIEWED),
      variables: ({ check }) => ({ input: { id: check, reason: 'Called the person' } }),
      answer: ({ check }) => ({
        verification: {
          ...{ id: check, decision: 'REAL', rawDecision: 'SUSPICIOUS' },
          review: { reviewDecision: 'APPROVED', reason: 'Called the person' },
        },
      }),
    },
    foreign: [
      foreignInput('ApproveVerificationInput', 'approveVerification', 'requestId', ({ idCheck }) => ({
        id: globalIdOf('Verification', idCheck),
        reason: 'x',
      })),
    ],
    stored: {
      call: async ({ id, reviewed }) => `(input: { id: "${await reviewed(id)}", reason: "x" }) { requestId }`,
    },
  },
  'mutation rejectVerification': {
    behavior: {
      name: 'decides a completed check as fake',
      given: completedCheck,
      document: withInput('rejectVerification', 'RejectVerificationInput', REVIEWED),
      variables: ({ check }) => ({ input: { id: check, reason: 'A copy' } }),
      answer: ({ check }) => ({
        verification: {
          ...{ id: check, decision: 'FAKE', rawDecision: 'SUSPICIOUS' },
          review: { reviewDecision: 'REJECTED', reason: 'A copy' },
        },
      }),
    },
    foreign: [
      foreignInput('RejectVerificationInput', 'rejectVerification', 'requestId', ({ idCheck }) => ({
        id: globalIdOf('Verification', idCheck),
        reason: 'x',
      })),
    ],
    stored: {
      call: async ({ id, reviewed }) => `(input: { id: "${await reviewed(id)}", reason: "x" }) { requestId }`,
    },
  },
  'mutation clearVerificationReview': {
    behavior: {
      name: 'returns to the decision by the score',
      given: async (client) => {
        const { check } = await completedCheck(client);
        await client.graphql(withInput('rejectVerification', 'RejectVerificationInput', 'requestId'), {
          input: { id: check, reason: 'A copy' },
        });
        return { check };
      },
      document: withInput('clearVerificationReview', 'ClearVerificationReviewInput', REVIEWED),
      variables: ({ check }) => ({ input: { id: check } }),
      answer: ({ check }) => ({
        verification: { id: check, decision: 'SUSPICIOUS', rawDecision: 'SUSPICIOUS', review: null },
      }),
    },
    foreign: [
      foreignInput('ClearVerificationReviewInput', 'clearVerificationReview', 'requestId', ({ idCheck }) => ({
        id: globalIdOf('Verification', idCheck),
      })),
    ],
    stored: {
      call: async ({ id, reviewed }) => `(input: { id: "${await reviewed(id)}" }) { requestId }`,
    },
  },
};
