import { findResembled } from '@vouchgraph/decisions';
import { AppError, invalidInput } from '@vouchgraph/platform/errors';

/** For an unknown list and for another project's alike. */
export function listNotFound(name: string, field: 'list' | 'name' | 'sourceList'): AppError {
  return new AppError('list.not_found', 'not_found', `List not found: ${JSON.stringify(name)}`, {
    path: [field],
  });
}

export function targetListNotFound(name: string): AppError {
  return new AppError('list.not_found', 'not_found', `Target list not found: ${JSON.stringify(name)}`, {
    path: ['targetList'],
  });
}

export function accountToKeepOffNotFound(): AppError {
  return new AppError('account.not_found', 'not_found', 'Account not found; keepOff requires an account', {
    path: ['accountId'],
  });
}

export function listExists(): AppError {
  return new AppError('list.already_exists', 'conflict', 'List already exists.');
}

/** For a change that standard lists, which every project has, do not permit. */
export function listIsStandard(what: string, field: string): AppError {
  return new AppError('list.standard', 'invalid_input', `block, allow and main_account ${what}`, {
    path: [field],
  });
}

export function listInUse(rule: string): AppError {
  return new AppError(
    'list.in_use',
    'conflict',
    `The rule ${JSON.stringify(rule)} uses this list: change or archive the rule first`,
  );
}

/** Throws if a new name looks like that of a list with an effect: accounts on the new list would not be affected. */
export function rejectResembling(
  names: readonly string[],
  effective: readonly string[],
  field: string,
): void {
  const found = findResembled(names, effective);
  if (!found) return;
  const text = `must not resemble the name of a list with an effect. Did you mean ${JSON.stringify(found.existing)}?`;
  throw invalidInput(`${field}: ${text}`, field.split('.'));
}
