import { inputShape } from '@vouchgraph/platform/input-shape';
import { objectIdShape } from '@vouchgraph/platform/object-id';
import { addAccountsShape, reasonField } from '../../lists/list-input.ts';

const { list, expiresAt } = addAccountsShape.shape;

export const addMatchesToListShape = inputShape(
  'AddBacktestMatchesToListInput',
  'Backtest, and the list that its matched accounts are added to.',
  {
    backtestId: objectIdShape.describe('Global id of the backtest, or its backtestId.'),
    list,
    reason: reasonField('Reason of the memberships, at most 1,024 characters.'),
    expiresAt: expiresAt.describe('End of the memberships. No end by default.'),
  },
);
