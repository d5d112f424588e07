import { NAMES_NOTHING } from './foreign.ts';
import type { Operations } from './operation.ts';

/** People of the console. What a person reads: test/integration/people. */
export const PEOPLE_OPERATIONS: Operations = {
  'query me': {
    behavior: {
      name: 'is null for a key',
      document: '{ me { personId name email } }',
      answer: () => null,
    },
    foreign: NAMES_NOTHING,
  },
};
