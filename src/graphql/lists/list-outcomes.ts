import type {
  AccountOutcome,
  AddedAccount,
  LiftOutcome,
  MoveOutcome,
  RemoveOutcome,
} from '../../domain/lists/member-outcomes.ts';
import { builder } from '../kernel/builder.ts';
import type { CollectSubjects } from '../kernel/declared-facts.ts';

const AddToListOutcome = builder.enumType('AddToListOutcome', {
  description: 'Outcome of adding an account.',
  values: {
    ADDED: { description: 'Account added to the list.' },
    ALREADY_ON_LIST: {
      description: 'Account already on the list. A reason or end in the input replaced its own.',
    },
    NOT_FOUND: { description: 'Account that does not exist.' },
  } as const,
});

const RemoveFromListOutcome = builder.enumType('RemoveFromListOutcome', {
  description: 'Outcome of removing an account.',
  values: {
    REMOVED: { description: 'Account removed from the list.' },
    NOT_ON_LIST: { description: 'Account that was not on the list.' },
    NOT_FOUND: { description: 'Account that does not exist.' },
  } as const,
});

const LiftKeepOffOutcome = builder.enumType('LiftKeepOffOutcome', {
  description: 'Outcome for an account of liftKeepOff.',
  values: {
    LIFTED: { description: 'Account that rules may add to the list again.' },
    NOT_KEPT_OFF: { description: 'Account that rules were already allowed to add to the list.' },
    NOT_FOUND: { description: 'Account that does not exist.' },
  } as const,
});

const MoveAccountOutcome = builder.enumType('MoveAccountOutcome', {
  description: 'Outcome of moving an account.',
  values: {
    MOVED: { description: 'Account removed from the source and added to the target.' },
    CONFLICT: {
      description: 'Account that is already on the target, or on a standard list that excludes the target.',
    },
    NOT_FOUND: { description: 'Account that does not exist or is not on the source.' },
  } as const,
});

const ACCOUNT_ID = { description: 'Id of the account, assigned by the client.' } as const;

const byOutcome: CollectSubjects<AccountOutcome<string>> = ({ accountId, outcome }, subjects) => {
  if (outcome === 'NOT_FOUND') subjects.mentionAccountId(accountId);
  else subjects.addAccountId(accountId);
};

export const AddToListResult = builder.objectRef<AddedAccount>('AddToListResult').implement({
  tokenScopes: 'never',
  subjects: byOutcome,
  description: 'Account of an addAccountsToList call.',
  fields: (t) => ({
    accountId: t.exposeID('accountId', ACCOUNT_ID),
    outcome: t.expose('outcome', { type: AddToListOutcome, description: 'Outcome for the account.' }),
    expiresAt: t.expose('expiresAt', {
      type: 'DateTime',
      nullable: true,
      description:
        'End of the membership after the call. Null for no end, and for an account that does not exist.',
    }),
    previousExpiresAt: t.expose('previousExpiresAt', {
      type: 'DateTime',
      nullable: true,
      description:
        'End of the membership before the call. Null for no end, and for an account that was not on the list.',
    }),
  }),
});

export const RemoveFromListResult = builder
  .objectRef<AccountOutcome<RemoveOutcome>>('RemoveFromListResult')
  .implement({
    tokenScopes: 'never',
    subjects: byOutcome,
    description: 'Account of a removeAccountsFromList call.',
    fields: (t) => ({
      accountId: t.exposeID('accountId', ACCOUNT_ID),
      outcome: t.expose('outcome', { type: RemoveFromListOutcome, description: 'Outcome for the account.' }),
    }),
  });

export const LiftKeepOffResult = builder
  .objectRef<AccountOutcome<LiftOutcome>>('LiftKeepOffResult')
  .implement({
    tokenScopes: 'never',
    subjects: byOutcome,
    description: 'Account of a liftKeepOff call.',
    fields: (t) => ({
      accountId: t.exposeID('accountId', ACCOUNT_ID),
      outcome: t.expose('outcome', { type: LiftKeepOffOutcome, description: 'Outcome for the account.' }),
    }),
  });

export const MoveAccountResult = builder
  .objectRef<AccountOutcome<MoveOutcome>>('MoveAccountResult')
  .implement({
    tokenScopes: 'never',
    subjects: byOutcome,
    description: 'Account of a moveAccounts call.',
    fields: (t) => ({
      accountId: t.exposeID('accountId', ACCOUNT_ID),
      outcome: t.expose('outcome', { type: MoveAccountOutcome, description: 'Outcome for the account.' }),
    }),
  });
