import type { OutboxEvent } from '@vouchgraph/events';
import type { ProjectCipher } from '@vouchgraph/platform/crypto';
import type { Call, ProjectDatabase, Row, Statement } from '../../storage/database.ts';
import { namedStatement } from '../../storage/named-statement.ts';
import type { AuditAuthor } from '../audit/audit-entry.ts';
import { AUTHOR_COLUMNS, AUTHOR_VALUES, authorValues } from '../audit/audit-store.ts';
import { eventAccountHash } from '../events/event-account-hash.ts';
import { insertEventsCtes } from '../events/insert-events-store.ts';
import type { AccountErasure, ErasedAccount, ErasedIds } from '../model/account-erasure-store.ts';
import { lockAccountsCall, lockIdentifiersCall } from './account-change-store.ts';

const FIND: Statement = {
  name: 'account.find_to_delete',
  text: 'select id, personal, account_group, blocking_keys from accounts where project_id = $1 and account_id = $2',
};

type FoundAccount = { id: string; personal: Buffer; account_group: string; blocking_keys: Buffer };

const DELETE_ACCOUNT = namedStatement(
  'account.delete',
  `with deleted as (delete from accounts where project_id = :projectId and id = :id returning id),
         standing as (delete from account_standing where project_id = :projectId and account_id = :id),
         ${insertEventsCtes(
           {
             createdAt: ':now',
             eventId: ':eventId',
             type: ':eventType',
             accountHash: ':accountHash',
             requestId: ':requestId',
             payload: ':eventPayload',
           },
           'from deleted',
         )}
         insert into audit_log (project_id, audit_id, at, ${AUTHOR_COLUMNS}, action, target)
         select :projectId, :auditId, :now, ${AUTHOR_VALUES}, 'account.delete', :target from deleted`,
  ['eventId', 'eventType', 'accountHash', 'eventPayload'],
);

export type AccountDeletion = {
  accountId: string;
  accountLock: bigint;
  /** Keyed hashes of the account's mailboxes, whose email checks are erased too. */
  mailboxesOf: (row: { id: string; personal: Buffer }) => Buffer[];
  cipher: ProjectCipher;
  event: OutboxEvent;
  now: Date;
  author: AuditAuthor;
  audit: { auditId: string; target: string };
};

/**
 * Erases all data of an account, in one transaction under the same locks as a change: each of `erasures` erases the data of its
 * folder. The event of the erasure and an audit entry with a keyed hash of the id remain. Returns the internal id of the account
 * and the sessions whose images must be removed; null for an unknown account, whose pending data is erased.
 */
export function deleteAccountRows(
  database: ProjectDatabase,
  erasures: readonly AccountErasure[],
  deletion: AccountDeletion,
): Promise<{ id: string; imagesOf: readonly string[] } | null> {
  const { projectId } = database;
  const { accountId } = deletion;
  return database.transaction(async (transaction) => {
    const first = erasures.flatMap((erasure) => erasure.firstLocks?.(projectId) ?? []);
    const locks = erasures.map((erasure) => erasure.locks?.({ projectId, accountId }) ?? []);
    const locked = await transaction.run(
      ...first,
      lockAccountsCall([deletion.accountLock]),
      ...locks.flat(),
      lockIdentifiersCall(projectId, accountId),
      [FIND, [projectId, accountId]],
    );
    const row: FoundAccount | undefined = locked.at(-1)?.[0];
    if (row === undefined) {
      const { audit, author, cipher, now: at } = deletion;
      const unknown = { projectId, accountId, cipher, audit: { ...audit, author, at } };
      await transaction.commit(...erasures.flatMap((erasure) => erasure.ofUnknown?.(unknown) ?? []));
      return null;
    }
    const { cipher } = deletion;
    const account: ErasedAccount = {
      ...{ projectId, id: row.id, accountId, cipher },
      group: row.account_group,
      blockingKeys: row.blocking_keys,
      addressHashes: deletion.mailboxesOf(row),
    };
    const finds = erasures.map((erasure) => erasure.finds?.(account) ?? []);
    const found = rowsOfEach(finds, await transaction.run(...finds.flat()));
    const lockedRows = rowsOfEach(locks, locked.slice(first.length + 1));
    const erased: Partial<ErasedIds>[] = [];
    for (const [index, erasure] of erasures.entries())
      erased.push(
        (await erasure.found?.([...lockedRows[index]!, ...found[index]!], account, transaction)) ?? {},
      );
    const all = joinIds(erased);
    const deletes = erasures.flatMap((erasure) => erasure.deletes?.(account, all) ?? []);
    const last = erasures.flatMap((erasure) => erasure.lastDeletes?.(account, all) ?? []);
    await transaction.commit(...deletes, deleteCall(projectId, row.id, deletion), ...last);
    return { id: row.id, imagesOf: all.imagesOf };
  });
}

/** Results of the calls of each folder. */
function rowsOfEach(calls: readonly (readonly Call[])[], results: readonly Row[][]): Row[][][] {
  let start = 0;
  return calls.map(({ length }) => {
    start += length;
    return results.slice(start - length, start);
  });
}

function joinIds(erased: readonly Partial<ErasedIds>[]): ErasedIds {
  return {
    deliveries: erased.flatMap(({ deliveries = [] }) => deliveries),
    subjects: erased.flatMap(({ subjects = [] }) => subjects),
    imagesOf: erased.flatMap(({ imagesOf = [] }) => imagesOf),
    writes: erased.flatMap(({ writes = [] }) => writes),
  };
}

function deleteCall(projectId: string, id: string, deletion: AccountDeletion): Call {
  const { accountId, cipher, event, now, author, audit } = deletion;
  const { auditId, target } = audit;
  const { eventId, type, payload } = event;
  return DELETE_ACCOUNT.call({
    projectId,
    id,
    now,
    eventId,
    eventType: type,
    accountHash: eventAccountHash(cipher, accountId),
    ...authorValues(author),
    eventPayload: payload,
    auditId,
    target,
  });
}
