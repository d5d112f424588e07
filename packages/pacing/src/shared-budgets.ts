import { LRUCache } from 'lru-cache';
import { Budget } from './budget.ts';

/** The oldest budgets above this number are forgotten: they are full again. */
const MAX_BUDGETS = 100_000;

/** Budgets that the connections of one key or address share, also those that it opens later. */
export type SharedBudgets = (key: string) => Budget;

export function createSharedBudgets(perSecond: number, burst: number): SharedBudgets {
  const budgets = new LRUCache<string, Budget>({ maxSize: MAX_BUDGETS, sizeCalculation: () => 1 });
  return (key) => {
    const known = budgets.get(key);
    if (known) return known;
    const budget = new Budget(perSecond, burst);
    budgets.set(key, budget);
    return budget;
  };
}
