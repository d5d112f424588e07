import { withInput } from './behavior.ts';
import { foreignInput, NAMES_NOTHING } from './foreign.ts';
import type { Operations } from './operation.ts';

const FOR_PERSONS = { refused: 'auth.forbidden', answer: () => ({}) };
const STORED = 'Keys may not call it, and answers to persons are not stored.';

/** Reveals of personal data, for persons only: test/integration/tenancy/reveal.test.ts has their cases. */
export const REVEALS_OPERATIONS: Operations = {
  'query activeReveals': {
    behavior: {
      name: 'is refused for keys, which see everything',
      document: '{ activeReveals { revealId } }',
      ...FOR_PERSONS,
    },
    foreign: NAMES_NOTHING,
  },
  'mutation reveal': {
    behavior: {
      name: 'is refused for keys, which see everything',
      document: withInput('reveal', 'RevealInput', 'reveal { revealId }'),
      variables: ({ anna }) => ({ input: { accountId: anna, reason: 'chargeback' } }),
      ...FOR_PERSONS,
    },
    foreign: [
      foreignInput('RevealInput', 'reveal', 'requestId', ({ account }) => ({
        accountId: account,
        reason: 'x',
      })),
    ],
    stored: STORED,
  },
  'mutation endReveal': {
    behavior: {
      name: 'is refused for keys, which reveal nothing',
      document: withInput('endReveal', 'EndRevealInput', 'reveal { revealId }'),
      variables: ({ accountNode }) => ({ input: { revealId: accountNode ?? 'nothing' } }),
      ...FOR_PERSONS,
    },
    foreign: [
      foreignInput('EndRevealInput', 'endReveal', 'requestId', ({ session }) => ({ revealId: session })),
    ],
    stored: STORED,
  },
};
