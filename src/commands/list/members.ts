import { readFile } from 'node:fs/promises';
import { buffer as readBuffer } from 'node:stream/consumers';
import { invalidInput, OperatorError } from '@vouchgraph/platform/errors';
import {
  count,
  counted,
  minuteOf,
  print,
  printJson,
  printNotice,
  printTable,
  UsageError,
  wordOf,
  written,
} from '@vouchgraph/terminal';
import type { Api } from '../support/api.ts';
import { ADD_ACCOUNTS, MOVE_ACCOUNTS, REMOVE_ACCOUNTS } from './documents.ts';
import {
  type FileAccount,
  givenAccounts,
  type OptionalColumn,
  parseAccounts,
  valuesOf,
} from './parse-accounts.ts';

/** Accounts of one request. */
const MAX_ACCOUNTS = 1000;

type Result = {
  accountId: string;
  outcome: string;
  /** Of an addition: the end of the membership after and before it. */
  expiresAt?: string | null;
  previousExpiresAt?: string | null;
};
/** `hasReason`: the call has set the reason of the membership. */
type Outcome = Result & { readonly hasReason: boolean };
type Payload = { results: Result[] };
type MemberOptions = { file?: string; json?: boolean };

/** Adds accounts to a list. A reason or an end in a row of a file replaces that of the options. */
export function addMembers(
  api: Api,
  options: MemberOptions & { reason?: string; expires?: Date },
  list: string,
  accounts: readonly string[],
): Promise<void> {
  return changeMembers(options, accounts, ['reason', 'expires_at'], async (accountIds, row) => {
    const { reason = options.reason, expiresAt = options.expires } = row;
    const input = { list, accountIds, reason, expiresAt: expiresAt?.toISOString() };
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
  return changeMembers(options, accounts, [], async (accountIds) => {
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
  return changeMembers(options, accounts, [], async (accountIds) => {
    const input = { sourceList, targetList, accountIds };
    return (await api.run<{ moveAccounts: Payload }>(MOVE_ACCOUNTS, { input })).moveAccounts;
  });
}

/** Outcomes after which the command ends with the exit code 1. */
const FAILED = new Set(['NOT_FOUND', 'CONFLICT']);

/**
 * Changes the accounts in requests of 1,000, one for each reason and end in the file, and prints the outcomes: also those before
 * a request that fails.
 */
async function changeMembers(
  { file, json, reason }: MemberOptions & { reason?: string },
  given: readonly string[],
  columns: readonly OptionalColumn[],
  change: (accountIds: readonly string[], row: Pick<FileAccount, 'reason' | 'expiresAt'>) => Promise<Payload>,
): Promise<void> {
  const accounts =
    file === undefined
      ? givenAccounts(given)
      : parseAccounts(await readBytes(file), columns, new Date(), given);
  if (accounts.length === 0)
    throw file === undefined
      ? new UsageError("missing required argument 'account': pass ids or --file", 'account')
      : invalidInput('file: contains no account', ['file']);
  const outcomes = new Map<string, Outcome>();
  try {
    for (const rows of requestsOf(accounts)) {
      const hasReason = (rows[0]!.reason ?? reason) !== undefined;
      const { results } = await change(
        rows.map(({ accountId }) => accountId),
        rows[0]!,
      );
      for (const result of results) outcomes.set(result.accountId, { ...result, hasReason });
    }
  } catch (error) {
    if (outcomes.size > 0) {
      printOutcomes(accounts, outcomes, json);
      const next = accounts.find(({ accountId }) => !outcomes.has(accountId))!.accountId;
      printNotice(
        `${count(outcomes.size)} of ${counted(accounts.length, 'account')} have an outcome. ` +
          `The first without one is ${JSON.stringify(next)}.`,
        json,
      );
      await written();
    }
    throw error;
  }
  printOutcomes(accounts, outcomes, json);
}

/** The accounts of each request: with the same reason and end. */
function* requestsOf(accounts: readonly FileAccount[]): Generator<readonly FileAccount[]> {
  for (const group of Map.groupBy(accounts, valuesOf).values())
    for (let from = 0; from < group.length; from += MAX_ACCOUNTS)
      yield group.slice(from, from + MAX_ACCOUNTS);
}

/** Prints the outcomes in the order of the accounts. */
function printOutcomes(
  accounts: readonly FileAccount[],
  outcomes: ReadonlyMap<string, Outcome>,
  json: boolean | undefined,
): void {
  const results = accounts.flatMap(({ accountId }) => outcomes.get(accountId) ?? []);
  if (results.some(({ outcome }) => FAILED.has(outcome))) process.exitCode = 1;
  if (json) printJson(results.map(shown));
  else if (results.length <= 20)
    printTable(
      ['ACCOUNT', 'OUTCOME'],
      results.map((result) => [result.accountId, outcomeText(result)]),
    );
  else
    for (const [text, group] of Map.groupBy(results, outcomeText))
      print(`${text}: ${counted(group.length, 'account')}`);
}

const shown = ({ accountId, outcome, expiresAt, previousExpiresAt }: Result) => ({
  account_id: accountId,
  outcome: wordOf(outcome),
  expires_at: expiresAt,
  previous_expires_at: previousExpiresAt,
});

const endText = (end: string | null) => (end === null ? 'never' : minuteOf(end));

/** An outcome, and what adding a member again has changed. */
function outcomeText({ outcome, expiresAt = null, previousExpiresAt = null, hasReason }: Outcome): string {
  const text = wordOf(outcome).replaceAll('_', ' ');
  if (outcome !== 'ALREADY_ON_LIST') return text;
  const changes = [
    ...(hasReason ? ['reason set'] : []),
    ...(expiresAt === previousExpiresAt
      ? []
      : [`end changed from ${endText(previousExpiresAt)} to ${endText(expiresAt)}`]),
  ];
  return [text, ...(changes.length === 0 ? ['unchanged'] : changes)].join(', ');
}

function readBytes(file: string): Promise<Buffer> {
  return (file === '-' ? readBuffer(process.stdin) : readFile(file)).catch((error: unknown) => {
    throw new OperatorError(`${file} cannot be read: ${(error as NodeJS.ErrnoException).code}`);
  });
}
