import type { ProjectCipher } from '@vouchgraph/platform/crypto';
import type { Call, Row, Statement, Transaction } from '../../storage/database.ts';
import type { AuditAuthor } from '../audit/audit-entry.ts';

/** An account that is being erased, under its lock. */
export type ErasedAccount = {
  readonly projectId: string;
  /** Internal id. */
  readonly id: string;
  /** Id of the account, assigned by the client. */
  readonly accountId: string;
  readonly group: string;
  /** Its blocking keys (`packBlockingKeys`). */
  readonly blockingKeys: Buffer;
  /** Keyed hashes of the mailboxes of its email. */
  readonly addressHashes: readonly Buffer[];
  readonly cipher: ProjectCipher;
};

/** An id without an account whose erasure is requested, with the audit entry for the data erased under it. */
export type UnknownAccountErasure = {
  readonly projectId: string;
  /** Id of the account, assigned by the client. */
  readonly accountId: string;
  readonly cipher: ProjectCipher;
  readonly audit: {
    readonly auditId: string;
    readonly at: Date;
    readonly author: AuditAuthor;
    readonly target: string;
  };
};

/** What the erasures of all folders found: ids of rows that are erased with an account, and writes that depend on these rows. */
export type ErasedIds = {
  /** Deliveries to webhook endpoints. */
  readonly deliveries: readonly string[];
  /** Sessions, verifications and checks, of which stored answers may contain data. */
  readonly subjects: readonly string[];
  /** Sessions whose images are removed after the commit. */
  readonly imagesOf: readonly string[];
  /** Statements that one of the erasures sends with its `deletes`. */
  readonly writes: readonly Call[];
};

/**
 * The data of an account that a folder erases. The calls of all folders are sent together, in the order of the folders: the
 * locks in trip 1, `finds` in trip 2, `deletes` and `lastDeletes` with COMMIT in trip 3.
 */
export type AccountErasure = {
  /** Locks before that of the account. */
  readonly firstLocks?: (projectId: string) => readonly Call[];
  /** Locks between that of the account and those of its identifiers. */
  readonly locks?: (account: Pick<ErasedAccount, 'projectId' | 'accountId'>) => readonly Call[];
  /** Statements that determine the erased data besides rows of the account. */
  readonly finds?: (account: ErasedAccount) => readonly Call[];
  /** The ids in the rows of `locks` and `finds`. Sends statements only where few accounts need them: each is one trip more. */
  readonly found?: (
    rows: readonly Row[][],
    account: ErasedAccount,
    transaction: Transaction,
  ) => Partial<ErasedIds> | Promise<Partial<ErasedIds>>;
  /** Statements before the account's row is deleted, in the order in which they are executed. */
  readonly deletes?: (account: ErasedAccount, erased: ErasedIds) => readonly Call[];
  /** Statements for an id without an account. */
  readonly ofUnknown?: (account: UnknownAccountErasure) => readonly Call[];
  /** The last statements, after the account's row is deleted. */
  readonly lastDeletes?: (account: ErasedAccount, erased: ErasedIds) => readonly Call[];
};

/**
 * SQL: whether a verification of another account, or of none, has a session, which it needs to complete. $1: project, $2: internal
 * id of the erased account, $3: its id.
 */
export const isOfOtherCheck = (session: string): string => `exists (
  select 1 from verification_sessions v
  where v.project_id = $1 and v.session_id = ${session} and octet_length(v.secret_hash) > 0
    and (v.bound_account_id = $2 or v.account_id = $3) is not true
)`;

/** The statement that deletes the rows of a table with the internal id of an account. */
export function deleteOfAccount(table: string): (account: ErasedAccount) => Call {
  const statement: Statement = {
    name: `${table}.delete_of_account`,
    text: `delete from ${table} where project_id = $1 and account_id = $2`,
  };
  return ({ projectId, id }) => [statement, [projectId, id]];
}
