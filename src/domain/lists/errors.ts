import { AppError } from '../../platform/errors.ts';

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
