import { MATCH_DAYS } from '../../domain/decisions/backtests/backtest.ts';
import { addMatchesToListShape } from '../../domain/decisions/backtests/backtest-input.ts';
import {
  type AddedMatches,
  MAX_MATCHED_ACCOUNTS,
} from '../../domain/decisions/backtests/backtest-list-service.ts';
import { builder } from '../kernel/builder.ts';
import { inputFrom } from '../kernel/input-from.ts';
import { internalIdOf } from '../kernel/node-id.ts';
import { payloadType } from '../kernel/payload.ts';
import { ListNode } from '../lists/list.ts';

const AddBacktestMatchesToListInput = inputFrom(addMatchesToListShape);

type Payload = Omit<AddedMatches, 'list'> & { list: typeof ListNode.$inferType };

const AddBacktestMatchesToListPayload = payloadType<Payload>(
  'AddBacktestMatchesToListPayload',
  'Numbers of matched accounts, without erased ones.',
  { subjects: 'none' },
  (t) => ({
    list: t.expose('list', { type: ListNode, description: 'List after the change.' }),
    added: t.exposeInt('added', { description: 'Number of added accounts.' }),
    alreadyMember: t.exposeInt('alreadyMember', {
      description: 'Number of accounts that were on the list before. They keep their reason and end.',
    }),
    remaining: t.exposeInt('remaining', {
      description:
        'Number of accounts that are not on the list after 20 seconds. 0 if all are on the list. Repeat ' +
        'the call to continue.',
    }),
    total: t.int({
      description:
        'Number of distinct accounts that the backtest matched: added, alreadyMember and remaining.',
      resolve: ({ added, alreadyMember, remaining }) => added + alreadyMember + remaining,
    }),
  }),
);

const MAX_ACCOUNTS_TEXT = MAX_MATCHED_ACCOUNTS.toLocaleString('en');

builder.mutationFields((t) => ({
  addBacktestMatchesToList: t.field({
    isIdempotent: true,
    type: AddBacktestMatchesToListPayload,
    nullable: true,
    description:
      'Adds all accounts that a completed backtest matched to a list, in batches of 500 accounts with a ' +
      'transaction each. Accounts that are on the list do not change, so the call can be repeated. ' +
      'Adding to a standard list removes the accounts from the other two. Lifts keepOff of the added ' +
      `accounts. A backtest may have at most ${MAX_ACCOUNTS_TEXT} matched accounts, and its matches are ` +
      `stored for ${MATCH_DAYS} days. Errors: \`backtest.not_found\`, \`backtest.not_done\`, ` +
      '`backtest.matches_expired`, `backtest.too_many_accounts`, `list.not_found`, `input.invalid` ' +
      '(also an expiresAt in the past).',
    authScopes: { may: 'backtest.add_matches' },
    args: {
      input: t.arg({
        type: AddBacktestMatchesToListInput,
        required: true,
        description: 'Backtest and list.',
      }),
    },
    resolve: async (_root, { input }, { viewer, services, requestId }) => {
      const backtestId = internalIdOf('Backtest', input.backtestId) ?? '';
      const { list, ...counts } = await services.backtests.addToList(viewer, requestId, {
        ...input,
        backtestId,
      });
      return { requestId, list, ...counts };
    },
  }),
}));
