import { withInput } from './behavior.ts';
import { foreignInput, NAMES_NOTHING } from './foreign.ts';
import type { MutationOperation, Operation, Operations } from './operation.ts';

const REFUSED = { refused: 'auth.forbidden', answer: () => ({}) };
const NAME = 'is refused for keys, which manage no people';

/** A query for administrators. */
const query = (document: string): Operation => ({
  behavior: { name: NAME, document, ...REFUSED },
  foreign: NAMES_NOTHING,
});

/** A mutation for administrators. */
const mutation = (
  field: string,
  input: Record<string, string>,
  foreign: MutationOperation['foreign'] = NAMES_NOTHING,
): MutationOperation => {
  const type = `${field[0]!.toUpperCase()}${field.slice(1)}Input`;
  return {
    behavior: {
      name: NAME,
      document: withInput(field, type, 'requestId'),
      variables: () => ({ input }),
      ...REFUSED,
    },
    foreign,
    stored: 'Keys may not call it, and answers to persons are not stored.',
    withoutNode: 'People and invitations are no nodes: they are not data of the project alone.',
  };
};

const NOBODY = '00000000-0000-7000-8000-000000000000';

/** A mutation whose input names a person. */
const ofPerson = (field: string, more: Record<string, string> = {}): MutationOperation => {
  const type = `${field[0]!.toUpperCase()}${field.slice(1)}Input`;
  const named = foreignInput(type, field, 'requestId', ({ session }) => ({ personId: session, ...more }));
  return mutation(field, { personId: NOBODY, ...more }, [named]);
};

/** People of the console. What persons read and change: test/integration/people. */
export const PEOPLE_OPERATIONS: Operations = {
  'query me': {
    behavior: {
      name: 'is null for a key',
      document: '{ me { personId name email } }',
      answer: () => null,
    },
    foreign: NAMES_NOTHING,
  },
  'query people': query('{ people { personId email } }'),
  'query invitations': query('{ invitations { invitationId email } }'),
  'mutation invitePerson': mutation('invitePerson', {
    email: 'ada@example.com',
    name: 'Ada',
    role: 'VIEWER',
  }),
  'mutation withdrawInvitation': mutation('withdrawInvitation', { invitationId: NOBODY }, [
    foreignInput('WithdrawInvitationInput', 'withdrawInvitation', 'requestId', ({ session }) => ({
      invitationId: session,
    })),
  ]),
  'mutation setPersonRole': ofPerson('setPersonRole', { role: 'VIEWER' }),
  'mutation removePerson': ofPerson('removePerson'),
  'mutation resetPerson': ofPerson('resetPerson'),
  'mutation disablePerson': ofPerson('disablePerson'),
  'mutation enablePerson': ofPerson('enablePerson'),
  'mutation erasePerson': ofPerson('erasePerson'),
};
