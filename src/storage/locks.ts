import type { Statement } from './statement.ts';

/** Part of a statement that locks one row until the end of the transaction. */
type LockedRow = {
  readonly table: string;
  /** The column of the key behind `project_id`, which is $2; absent for the row of the project itself. */
  readonly key?: string;
  /** Columns to return. */
  readonly columns?: string;
  /** Also excludes transactions that refer to the row by a foreign key. */
  readonly isForReferences?: boolean;
};

/** The statement that locks a row of the project $1 against changes. */
export function lockRow(
  name: string,
  { table, key, columns = '1', isForReferences = true }: LockedRow,
): Statement {
  const condition = key === undefined ? '' : ` and ${key} = $2`;
  const lock = isForReferences ? 'for update' : 'for no key update';
  return { name, text: `select ${columns} from ${table} where project_id = $1${condition} ${lock}` };
}

/** SQL: the key of the lock with a name in the project $1. */
const keyOf = (lock: string) => `hashtextextended('${lock} ' || $1::text, 0)`;

/** The statement that waits for the lock with a name in the project $1, which the transaction then holds. */
export function lockByName(name: string, lock: string): Statement {
  return { name, text: `select pg_advisory_xact_lock(${keyOf(lock)})` };
}

/** The same without waiting: `is_locked` is false while another transaction has the lock. */
export function tryLockByName(name: string, lock: string): Statement {
  return { name, text: `select pg_try_advisory_xact_lock(${keyOf(lock)}) as is_locked` };
}
