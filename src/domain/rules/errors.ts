import { AppError } from '@vouchgraph/platform/errors';
import { oneOfText } from '@vouchgraph/platform/wording';

/** Unknown, or another project's: both alike. */
export function ruleNotFound(): AppError {
  return new AppError('rule.not_found', 'not_found', 'Rule not found');
}

/** Another rule that is not archived has this name. */
export function ruleNameTaken(name: string): AppError {
  return new AppError(
    'rule.name_taken',
    'conflict',
    `A rule with the name ${JSON.stringify(name)} already exists`,
    {
      path: ['input', 'name'],
    },
  );
}

/** Another request changed the rule first. */
export function ruleVersionConflict(version: number): AppError {
  return new AppError(
    'rule.version_conflict',
    'conflict',
    `The rule was changed by another request: its version is ${version}`,
    { path: ['input', 'expectedVersion'] },
  );
}

/** The condition is true for no facts that can occur on the rule's trigger. */
export function ruleNeverMatches(reason: string, path: readonly (string | number)[]): AppError {
  return new AppError('rule.never_matches', 'invalid_input', `The rule can never match: ${reason}`, { path });
}

/** Archived rules cannot be changed. */
export function ruleArchived(): AppError {
  return new AppError('rule.archived', 'conflict', 'An archived rule cannot be changed');
}

/** The project has as many rules as it can have. */
export function tooManyRules(most: number): AppError {
  return new AppError(
    'rule.too_many',
    'conflict',
    `A project can have at most ${most} rules: archive a rule first`,
  );
}

/** The expression or an action names a list that does not exist. */
export function ruleListNotFound(name: string, path: readonly (string | number)[]): AppError {
  return new AppError('list.not_found', 'not_found', `List not found: ${JSON.stringify(name)}`, { path });
}

/** No built-in rule has this key. */
export function builtInRuleNotFound(keys: readonly string[]): AppError {
  return new AppError(
    'rule.built_in_not_found',
    'not_found',
    `Built-in rule not found: key ${oneOfText(keys)}`,
    { path: ['input', 'key'] },
  );
}

export function backtestNotFound(): AppError {
  return new AppError('backtest.not_found', 'not_found', 'Backtest not found');
}

/** Its matches are incomplete: it is queued, running, canceled or failed. */
export function backtestNotDone(): AppError {
  return new AppError('backtest.not_done', 'conflict', 'The backtest has not completed');
}

/** Its matches are deleted, or about to be. */
export function backtestMatchesExpired(days: number): AppError {
  return new AppError(
    'backtest.matches_expired',
    'conflict',
    `The matches of a backtest are stored for ${days} days: start the backtest again`,
  );
}

export function tooManyMatchedAccounts(max: number): AppError {
  return new AppError(
    'backtest.too_many_accounts',
    'conflict',
    `A backtest must have at most ${max} matched accounts: narrow its condition or its period`,
  );
}

/** Queued or running backtests must end first. */
export function tooManyBacktests(most: number): AppError {
  return new AppError(
    'backtest.too_many',
    'conflict',
    `At most ${most} backtests can be queued or running: wait for one of them, or cancel it`,
  );
}
