import { z } from 'zod';
import { LIMITS } from '../../platform/limits.ts';
import { tooFewText, tooManyText } from '../../platform/wording.ts';
import { accountIdShape } from '../model/account-id.ts';
import { listNameShape } from '../model/list-name.ts';

const description = z
  .string()
  .max(LIMITS.listDescriptionLength, `must be at most ${LIMITS.listDescriptionLength} characters`)
  .nullish();

/** A list to create, or what of one is to change; null and absent leave what is stored. */
export const listShape = z.object({
  name: listNameShape,
  description,
  effect: z.enum(['none', 'block', 'allow']).nullish(),
});
export type ListFields = z.infer<typeof listShape>;

export const listByNameShape = z.object({ name: listNameShape });

const accountIds = z
  .array(accountIdShape)
  .min(1, tooFewText(1))
  .max(LIMITS.accountsPerListCall, tooManyText(LIMITS.accountsPerListCall));

const reason = z
  .string()
  .max(LIMITS.listReasonLength, `must be at most ${LIMITS.listReasonLength} characters`)
  .nullish();

export const addAccountsShape = z.object({
  list: listNameShape,
  accountIds,
  reason,
  expiresAt: z.date().nullish(),
});
export type AccountsToAdd = z.infer<typeof addAccountsShape>;

/** An account to block or to allow, which may not exist yet. */
export const accountVerbShape = z.object({
  accountId: accountIdShape,
  reason,
  expiresAt: z.date().nullish(),
});
export type AccountVerb = z.infer<typeof accountVerbShape>;

export const clearAccountShape = z.object({
  accountId: accountIdShape,
  reason,
  keepOff: z.boolean().nullish(),
});
export type AccountToClear = z.infer<typeof clearAccountShape>;

export const removeAccountsShape = z.object({
  list: listNameShape,
  accountIds,
  keepOff: z.boolean().nullish(),
});
export type AccountsToRemove = z.infer<typeof removeAccountsShape>;

export const liftKeepOffShape = z.object({ list: listNameShape, accountIds });
export type KeepOffsToLift = z.infer<typeof liftKeepOffShape>;

export const moveAccountsShape = z
  .object({ sourceList: listNameShape, targetList: listNameShape, accountIds })
  .refine(({ sourceList, targetList }) => sourceList !== targetList, {
    path: ['targetList'],
    message: 'must be another list than the source',
  });
export type AccountsToMove = z.infer<typeof moveAccountsShape>;

/** Whether a list may be called so; of another name there is none. */
export function isListName(name: string): boolean {
  return listNameShape.safeParse(name).success;
}
