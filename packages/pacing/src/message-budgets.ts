import { LIMITS } from '@vouchgraph/platform/limits';
import { Budget } from './budget.ts';
import { createSharedBudgets, type SharedBudgets } from './shared-budgets.ts';

/** How many messages sockets may send. */
export type MessageBudgets = {
  ofSocket(): Budget;
  /** Of all sockets of a key and of its browser tokens. */
  ofKey: SharedBudgets;
  /** A socket that has to wait for longer than this is closed. */
  maxExcessMs: number;
};

/** Budgets of messages per second, of a socket and of all sockets of a key; 0 is no limit. */
export function createMessageBudgets(options: {
  perSocket: number;
  perKey: number;
  maxExcessMs: number | undefined;
}): MessageBudgets {
  const { perSocket, perKey, maxExcessMs = LIMITS.socketExcessSeconds * 1000 } = options;
  return {
    ofSocket: () => new Budget(perSocket, perSocket * LIMITS.socketBurstSeconds),
    ofKey: createSharedBudgets(perKey, perKey * LIMITS.keyBurstSeconds),
    maxExcessMs,
  };
}
