import type {
  AccountOutcome,
  AddOutcome,
  LiftOutcome,
  MoveOutcome,
  RemoveOutcome,
} from '../domain/lists/member-outcomes.ts';
import { builder } from './builder.ts';

const AddToListOutcome = builder.enumType('AddToListOutcome', {
  description: 'What became of an account that was to be added.',
  values: {
    ADDED: { description: 'It is on the list from now on.' },
    ALREADY_ON_LIST: {
      description: 'It was on the list before; a reason or end that was given replaced its own.',
    },
    NOT_FOUND: { description: 'There is no such account.' },
  } as const,
});

const RemoveFromListOutcome = builder.enumType('RemoveFromListOutcome', {
  description: 'What became of an account that was to be taken off.',
  values: {
    REMOVED: { description: 'It is off the list from now on.' },
    NOT_ON_LIST: { description: 'It was not on the list.' },
    NOT_FOUND: { description: 'There is no such account.' },
  } as const,
});

const LiftKeepOffOutcome = builder.enumType('LiftKeepOffOutcome', {
  description: 'Outcome for an account of liftKeepOff.',
  values: {
    LIFTED: { description: 'Rules may put the account on the list again.' },
    NOT_KEPT_OFF: { description: 'The account was not kept off the list.' },
    NOT_FOUND: { description: 'The account does not exist.' },
  } as const,
});

const MoveAccountOutcome = builder.enumType('MoveAccountOutcome', {
  description: 'What became of an account that was to be moved.',
  values: {
    MOVED: { description: 'It left the source and is on the target.' },
    CONFLICT: {
      description:
        'It is on the target already; or the target is a standard list, and it is on another one than the source.',
    },
    NOT_FOUND: { description: 'There is no such account, or it is not on the source.' },
  } as const,
});

const ACCOUNT_ID = { description: "The client's own id, as it was sent." } as const;

export const AddToListResult = builder.objectRef<AccountOutcome<AddOutcome>>('AddToListResult').implement({
  description: 'One account of a call that adds.',
  fields: (t) => ({
    accountId: t.exposeString('accountId', ACCOUNT_ID),
    outcome: t.field({
      type: AddToListOutcome,
      description: 'What became of it.',
      resolve: (result) => result.outcome,
    }),
  }),
});

export const RemoveFromListResult = builder
  .objectRef<AccountOutcome<RemoveOutcome>>('RemoveFromListResult')
  .implement({
    description: 'One account of a call that takes off.',
    fields: (t) => ({
      accountId: t.exposeString('accountId', ACCOUNT_ID),
      outcome: t.field({
        type: RemoveFromListOutcome,
        description: 'What became of it.',
        resolve: (result) => result.outcome,
      }),
    }),
  });

export const LiftKeepOffResult = builder
  .objectRef<AccountOutcome<LiftOutcome>>('LiftKeepOffResult')
  .implement({
    description: 'One account of a liftKeepOff call.',
    fields: (t) => ({
      accountId: t.exposeString('accountId', ACCOUNT_ID),
      outcome: t.field({
        type: LiftKeepOffOutcome,
        description: 'Outcome for the account.',
        resolve: (result) => result.outcome,
      }),
    }),
  });

export const MoveAccountResult = builder
  .objectRef<AccountOutcome<MoveOutcome>>('MoveAccountResult')
  .implement({
    description: 'One account of a call that moves.',
    fields: (t) => ({
      accountId: t.exposeString('accountId', ACCOUNT_ID),
      outcome: t.field({
        type: MoveAccountOutcome,
        description: 'What became of it.',
        resolve: (result) => result.outcome,
      }),
    }),
  });
