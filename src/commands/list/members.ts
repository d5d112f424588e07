import { readFile } from 'node:fs/promises';
import { text as readText } from 'node:stream/consumers';
import { OperatorError } from '../../platform/errors.ts';
import type { Api } from '../support/api.ts';
import { counted } from '../support/counted.ts';
import { print, printJson } from '../support/print.ts';
import { printTable } from '../support/table.ts';
import { UsageError } from '../support/usage-error.ts';
import { wordOf } from '../support/words.ts';
import { ADD_ACCOUNTS, MOVE_ACCOUNTS, REMOVE_ACCOUNTS } from './documents.ts';

/** Accounts of one request. */
const MAX_ACCOUNTS = 1000;

type Result = { accountId: string; outcome: string };
type Payload = { results: Result[] };
type MemberOptions = { file?: string; json?: boolean };

/** Adds accounts to a list. */
export function addMembers(
  api: Api,
  options: MemberOptions & { reason?: string; expires?: Date },
  list: string,
  accounts: readonly string[],
): Promise<void> {
  return changeMembers(options, accounts, async (accountIds) => {
    const input = { list, accountIds, reason: options.reason, expiresAt: options.expires?.toISOString() };
    return (await api.run<{ addAccountsToList: Payload }>(ADD_ACCOUNTS, { input })).addAccountsToList;
  });
}

/** Removes accounts from a list. */
export function removeMembers(
  api: Api,
  options: MemberOptions & { keepOff?: boolean },
  list: string,
  accounts: readonly string[],
): Promise<void> {
  return changeMembers(options, accounts, async (accountIds) => {
    const input = { list, accountIds, keepOff: options.keepOff ?? false };
    return (await api.run<{ removeAccountsFromList: Payload }>(REMOVE_ACCOUNTS, { input }))
      .removeAccountsFromList;
  });
}

/** Moves accounts from one list to another. */
export function moveMembers(
  api: Api,
  options: MemberOptions,
  sourceList: string,
  targetList: string,
  accounts: readonly string[],
): Promise<void> {
  return changeMembers(options, accounts, async (accountIds) => {
    const input = { sourceList, targetList, accountIds };
    return (await api.run<{ moveAccounts: Payload }>(MOVE_ACCOUNTS, { input })).moveAccounts;
  });
}

/** Outcomes after which the command ends with the exit code 1. */
const FAILED = new Set(['NOT_FOUND', 'CONFLICT']);

/** Changes the accounts in requests of 1,000, and prints the outcome of each account. */
async function changeMembers(
  { file, json }: MemberOptions,
  given: readonly string[],
  change: (accountIds: readonly string[]) => Promise<Payload>,
): Promise<void> {
  const accounts = [...given, ...(file === undefined ? [] : await readAccounts(file))];
  if (accounts.length === 0)
    throw new UsageError("missing required argument 'account': pass ids or --file", 'account');
  const results: Result[] = [];
  for (let from = 0; from < accounts.length; from += MAX_ACCOUNTS)
    results.push(...(await change(accounts.slice(from, from + MAX_ACCOUNTS))).results);
  if (results.some(({ outcome }) => FAILED.has(outcome))) process.exitCode = 1;
  const shown = results.map(({ accountId, outcome }) => ({
    account_id: accountId,
    outcome: wordOf(outcome),
  }));
  if (json) return printJson(shown);
  if (shown.length <= 20)
    return printTable(
      ['ACCOUNT', 'OUTCOME'],
      shown.map(({ account_id, outcome }) => [account_id, outcome.replaceAll('_', ' ')]),
    );
  for (const [outcome, group] of Map.groupBy(shown, (each) => each.outcome))
    print(`${outcome.replaceAll('_', ' ')}: ${counted(group.length, 'account')}`);
}

/** Ids of accounts, one per line; empty lines are ignored. */
async function readAccounts(file: string): Promise<string[]> {
  const text = await (file === '-' ? readText(process.stdin) : readFile(file, 'utf8')).catch(
    (error: unknown) => {
      throw new OperatorError(`${file} cannot be read: ${(error as NodeJS.ErrnoException).code}`);
    },
  );
  return text.split(/\r?\n/).flatMap((line) => line.trim() || []);
}
