import { inputShape } from '../../../platform/input-shape.ts';
import { addAccountsShape, reasonField } from '../../lists/list-input.ts';
import { objectIdShape } from '../../model/object-id.ts';

const { list, expiresAt } = addAccountsShape.shape;

export const addMatchesToListShape = inputShape(
  'AddBacktestMatchesToListInput',
  'Backtest, and the list for its matched accounts.',
  {
    backtestId: objectIdShape.describe('Global id of the backtest, or its backtestId.'),
    list,
    reason: reasonField('Reason, at most 1,024 characters.'),
    expiresAt: expiresAt.describe('End of the memberships; none by default.'),
  },
);
