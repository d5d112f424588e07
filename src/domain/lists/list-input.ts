import { listNameShape } from '@vouchgraph/decisions';
import { accountIdShape } from '@vouchgraph/platform/account-id';
import { inputShape } from '@vouchgraph/platform/input-shape';
import { LIMITS } from '@vouchgraph/platform/limits';
import { isReadableText, NO_HIDDEN_TEXT } from '@vouchgraph/platform/visible-text';
import { tooFewText, tooManyText } from '@vouchgraph/platform/wording';
import { z } from 'zod';

const listName = listNameShape.describe('Name of the list.');
const purpose = (about: string) =>
  z
    .string()
    .max(LIMITS.listDescriptionLength, `must be at most ${LIMITS.listDescriptionLength} characters`)
    .refine(isReadableText, NO_HIDDEN_TEXT)
    .nullish()
    .describe(`Purpose, at most 1,024 characters${about}`);

export const listEffectShape = z.enum(['none', 'block', 'allow']);

export const createListShape = inputShape('CreateListInput', 'List to create.', {
  name: listNameShape.describe(
    'Name, unique in the project: 1 to 128 printable characters without /, not . or .., with no space at the start or end. Stored ' +
      'in Unicode NFC. Must not look like block, allow, main_account or another list with an effect.',
  ),
  description: purpose('. None if null or empty.'),
  effect: listEffectShape.nullish().describe('Effect of membership. NONE by default.'),
});

/** Null and absent fields leave what is stored. */
export const updateListShape = inputShape(
  'UpdateListInput',
  'Changes of a list. Null or absent: unchanged.',
  {
    name: listName,
    description: purpose('. Empty: removed.'),
    effect: listEffectShape
      .nullish()
      .describe('Effect of membership. The effect of a standard list cannot be changed.'),
  },
);
export type ListFields = z.infer<typeof updateListShape>;

export const deleteListShape = inputShape('DeleteListInput', 'List to delete.', { name: listName });

const accountIds = z
  .array(accountIdShape)
  .min(1, tooFewText(1))
  .max(LIMITS.accountsPerListCall, tooManyText(LIMITS.accountsPerListCall))
  .describe('Ids of the accounts, assigned by the client, 1 to 1,000. Duplicates count once.');

/** Reason of adding an account to a list or removing it. */
export const reasonField = (description: string) =>
  z
    .string()
    .max(LIMITS.listReasonLength, `must be at most ${LIMITS.listReasonLength} characters`)
    .nullish()
    .describe(description);

const end = (description: string) => z.date().nullish().describe(description);
const flag = (description: string) => z.boolean().nullish().describe(description);

export const addAccountsShape = inputShape('AddAccountsToListInput', 'Accounts to add to a list.', {
  list: listName,
  accountIds,
  reason: reasonField(
    'Reason of the memberships, at most 1,024 characters. Also replaces the reason of accounts that are ' +
      'on the list.',
  ),
  expiresAt: end(
    'End of the memberships. Also replaces the end of accounts that are on the list. No end by default.',
  ),
});
export type AccountsToAdd = z.infer<typeof addAccountsShape>;

/** Fields of an account to block or to allow. */
const verbFields = {
  accountId: accountIdShape.describe(
    'Id of the account, assigned by the client, 1 to 256 characters, except `.` and `..`. The account may not exist yet.',
  ),
  reason: reasonField(
    'Reason of the membership, at most 1,024 characters. Null or absent: unchanged. Empty: removed.',
  ),
  expiresAt: end(
    'End of the membership, also of a pending one. Null or absent: unchanged. No end by default.',
  ),
};
export const blockAccountShape = inputShape('BlockAccountInput', 'Account to block.', verbFields);
export const allowAccountShape = inputShape('AllowAccountInput', 'Account to allow.', verbFields);
export type AccountVerb = z.infer<typeof blockAccountShape>;

export const clearAccountShape = inputShape('ClearAccountInput', 'Account to remove from block and allow.', {
  accountId: verbFields.accountId,
  reason: reasonField(
    'Reason of the removal, at most 1,024 characters, which list.account_removed events contain. None ' +
      'by default.',
  ),
  keepOff: flag(
    'Whether rules no longer add the account to block and allow, as in removeAccountsFromList. Requires ' +
      'an existing account. False by default.',
  ),
});
export type AccountToClear = z.infer<typeof clearAccountShape>;

export const removeAccountsShape = inputShape(
  'RemoveAccountsFromListInput',
  'Accounts to remove from a list.',
  {
    list: listName,
    accountIds,
    keepOff: flag(
      'Whether rules no longer add the accounts to the list. This includes accounts that are not on the ' +
        'list. It applies until a request adds or moves the account to the list, or names it in ' +
        'liftKeepOff. False and null change nothing. False by default.',
    ),
  },
);
export type AccountsToRemove = z.infer<typeof removeAccountsShape>;

export const liftKeepOffShape = inputShape(
  'LiftKeepOffInput',
  'Accounts that rules may add to the list again.',
  { list: listName, accountIds },
);
export type KeepOffsToLift = z.infer<typeof liftKeepOffShape>;

export const moveAccountsShape = z
  .object({
    sourceList: listNameShape.describe('Name of the list that contains the accounts.'),
    accountIds,
    targetList: listNameShape.describe('Name of the list that the accounts are moved to.'),
  })
  .refine(({ sourceList, targetList }) => sourceList !== targetList, {
    path: ['targetList'],
    message: 'must be another list than the source',
  })
  .meta({ id: 'MoveAccountsInput', description: 'Accounts to move from one list to another.' });
export type AccountsToMove = z.infer<typeof moveAccountsShape>;
