import { decisionOf, print, printJson, wordOf } from '@vouchgraph/terminal';
import type { Api } from '../support/api.ts';
import { ALLOW_ACCOUNT, BLOCK_ACCOUNT, CLEAR_ACCOUNT, REPORT_OUTCOME } from './documents.ts';

type Changed = {
  accountId: string;
  isPending: boolean;
  removedFrom: string[];
  lists: { name: string }[];
  account: { decision: string; accountScore: number } | null;
};

type ListOptions = { reason?: string; expires?: Date; json?: boolean };

/** Adds an account to the list block, also one that does not exist yet. */
export function blockAccount(
  api: Api,
  { reason, expires, json }: ListOptions,
  accountId: string,
): Promise<void> {
  return change(api, BLOCK_ACCOUNT, { accountId, reason, expiresAt: expires?.toISOString() }, json);
}

/** Adds an account to the list allow, also one that does not exist yet. */
export function allowAccount(
  api: Api,
  { reason, expires, json }: ListOptions,
  accountId: string,
): Promise<void> {
  return change(api, ALLOW_ACCOUNT, { accountId, reason, expiresAt: expires?.toISOString() }, json);
}

/** Removes an account from the lists block and allow. */
export function clearAccount(
  api: Api,
  { reason, keepOff, json }: { reason?: string; keepOff?: boolean; json?: boolean },
  accountId: string,
): Promise<void> {
  return change(api, CLEAR_ACCOUNT, { accountId, reason, keepOff }, json);
}

async function change(
  api: Api,
  document: string,
  input: Record<string, unknown> & { accountId: string },
  json: boolean | undefined,
): Promise<void> {
  const { changed } = await api.run<{ changed: Changed }>(document, { input });
  const lists = changed.lists.map(({ name }) => name);
  const { accountId, isPending, removedFrom, account } = changed;
  if (json)
    return printJson({
      account_id: accountId,
      pending: isPending,
      lists,
      removed_from: removedFrom,
      decision: account && decisionOf(account.decision),
      account_score: account?.accountScore ?? null,
    });
  if (isPending)
    return print(
      `${accountId} does not exist yet. When it is created, it is added to the list ${lists.join(', ')}.`,
    );
  const on =
    lists.length === 0 ? 'on no list' : `on the ${lists.length === 1 ? 'list' : 'lists'} ${lists.join(', ')}`;
  if (!account) return print(`${accountId} does not exist, and is not pending on a list.`);
  print(`${accountId} is ${on}, and decided ${decisionOf(account.decision)}.`);
}

type Reported = {
  isNew: boolean;
  outcome: { accountId: string; outcome: string; at: string; note: string | null };
  account: { outcomeLabel: string | null } | null;
};

/** Reports what an account turned out to be. */
export async function labelAccount(
  api: Api,
  { at, note, json }: { at?: Date; note?: string; json?: boolean },
  accountId: string,
  outcome: string,
): Promise<void> {
  const input = { accountId, outcome: outcome.toUpperCase(), at: (at ?? new Date()).toISOString(), note };
  const { reportOutcome } = await api.run<{ reportOutcome: Reported }>(REPORT_OUTCOME, { input });
  const { isNew, outcome: stored, account } = reportOutcome;
  const word = wordOf(stored.outcome);
  if (json)
    return printJson({
      account_id: stored.accountId,
      outcome: word,
      at: stored.at,
      note: stored.note,
      new: isNew,
    });
  print(`${stored.accountId} is reported as ${word} at ${stored.at}${isNew ? '' : ' (already reported)'}.`);
  const label = account?.outcomeLabel ? wordOf(account.outcomeLabel) : word;
  if (label !== word) print(`Its label is ${label}.`);
}
