import { NIL_UUID } from '@vouchgraph/platform/ids';
import type { Call, ProjectDatabase, Statement, Transaction } from '../../storage/database.ts';
import { namedStatement } from '../../storage/named-statement.ts';
import type { ChainedEntry } from './audit-chain.ts';

/** SQL: the columns of an entry `a` to which the chain commits. */
const CHAINED_COLUMNS = `a.at, a.actor, a.role, a.action, a.target, a.request_id, a.before::text as before_text,
           a.after::text as after_text, a.address, a.address_hash, a.reason, a.salt, a.before_salt, a.after_salt, a.address_salt,
           a.reason_salt`;

/** Entries that one transaction adds to the chains. */
const CHAIN_BATCH = 500;

/**
 * Lets one transaction at a time extend chains. Its commit waits for the disk, other than those of queues: a head that was read must
 * not be lost.
 */
const LOCK: Statement = {
  name: 'audit.lock_chain',
  text: `select set_config('synchronous_commit', 'on', true),
           pg_try_advisory_xact_lock(hashtext('vouchgraph_audit_chain')) as is_locked`,
};

const READ_UNCHAINED: Statement = {
  name: 'audit.read_unchained',
  text: `select u.project_id, u.number, u.audit_id, ${CHAINED_COLUMNS}
         from (select * from audit_unchained order by number limit ${CHAIN_BATCH}) u
         left join audit_log a on a.project_id = u.project_id and a.audit_id = u.audit_id
         order by u.number`,
};

/** A row without its entry has null in `salt`: the entry was removed. */
type MaybeEntry = ChainedEntry | { readonly audit_id: string; readonly salt: null };

export type Unchained = { readonly project_id: string; readonly number: string } & MaybeEntry;

/**
 * The oldest entries without a position that are committed, in the order of their insertion; none while another process extends
 * chains. The second statement sees what was committed before the lock was granted.
 */
export async function lockUnchained(transaction: Transaction): Promise<Unchained[]> {
  const [locked, rows] = await transaction.run([LOCK, []], [READ_UNCHAINED, []]);
  return locked![0]!.is_locked ? (rows as Unchained[]) : [];
}

/** Whether a batch may be followed by another one. */
export const isFullBatch = ({ length }: readonly unknown[]): boolean => length === CHAIN_BATCH;

const READ_LAST: Statement = {
  name: 'audit.read_last_links',
  text: `select p.project_id, c.position, c.hash from unnest($1::uuid[]) as p (project_id) cross join lateral (
           select x.position, x.hash from audit_chain x where x.project_id = p.project_id order by x.position desc limit 1
         ) c`,
};

/** The last link of a chain. */
export type LastLink = { readonly position: bigint; readonly hash: Buffer };

/** The last links of projects, without those that have none. */
export async function readLastLinks(
  transaction: Transaction,
  projectIds: readonly string[],
): Promise<Map<string, LastLink>> {
  const [rows] = await transaction.run([READ_LAST, [projectIds]]);
  return new Map(
    rows!.map(({ project_id, position, hash }) => [project_id, { position: BigInt(position), hash }]),
  );
}

/** Inserts links and removes their entries from the unchained ones. */
const INSERT_LINKS = namedStatement(
  'audit.insert_links',
  `with links as (
           insert into audit_chain (project_id, position, audit_id, commitments, hash)
           select * from unnest(:projectIds::uuid[], :positions::bigint[], :auditIds::uuid[], :commitments::bytea[],
             :hashes::bytea[])
         )
         delete from audit_unchained where number = any(:numbers::bigint[])`,
);

export type NewLink = LastLink & {
  readonly projectId: string;
  readonly number: string;
  readonly auditId: string;
  readonly commitments: Buffer;
};

export function insertLinksCall(links: readonly NewLink[]): Call {
  return INSERT_LINKS.call({
    projectIds: links.map(({ projectId }) => projectId),
    positions: links.map(({ position }) => position),
    auditIds: links.map(({ auditId }) => auditId),
    commitments: links.map(({ commitments }) => commitments),
    hashes: links.map(({ hash }) => hash),
    numbers: links.map(({ number }) => number),
  });
}

/** The end of a chain, and the number of entries that are not part of it yet. */
const READ_HEAD: Statement = {
  name: 'audit.read_head',
  text: `select c.position, c.hash, (select count(*)::int from audit_unchained where project_id = $1) as unchained
         from (select 1) one left join lateral (
           select position, hash from audit_chain where project_id = $1 order by position desc limit 1
         ) c on true`,
};

/** The last link of a project, null for an empty chain, and the number of entries without a position. */
export async function readHead(
  database: ProjectDatabase,
): Promise<{ last: LastLink | null; unchained: number }> {
  const [row] = await database.query(READ_HEAD, [database.projectId]);
  const { position, hash, unchained } = row!;
  return { last: position === null ? null : { position: BigInt(position), hash }, unchained };
}

const LINK_PAGE = 500;

const READ_LINKS: Statement = {
  name: 'audit.read_links',
  text: `select c.position, c.audit_id, c.commitments, c.hash, ${CHAINED_COLUMNS}
         from audit_chain c left join audit_log a on a.project_id = c.project_id and a.audit_id = c.audit_id
         where c.project_id = $1 and c.position > $2 order by c.position limit ${LINK_PAGE}`,
};

export type StoredLink = {
  readonly position: string;
  readonly commitments: Buffer;
  readonly hash: Buffer;
} & MaybeEntry;

/** All links of a project with their entries, in the order of their positions. */
export async function* readLinks(database: ProjectDatabase): AsyncGenerator<StoredLink> {
  for (let after = '0'; ; ) {
    const rows = await database.query<StoredLink>(READ_LINKS, [database.projectId, after]);
    yield* rows;
    if (rows.length < LINK_PAGE) return;
    after = rows.at(-1)!.position;
  }
}

const READ_OUTSIDE: Statement = {
  name: 'audit.read_outside_chain',
  text: `select a.audit_id from audit_log a
         where a.project_id = $1 and a.audit_id > $2
           and not exists (select from audit_chain c where c.project_id = $1 and c.audit_id = a.audit_id)
           and not exists (select from audit_unchained u where u.project_id = $1 and u.audit_id = a.audit_id)
         order by a.audit_id limit ${LINK_PAGE}`,
};

/** The ids of entries that are neither part of the chain nor will be. */
export async function* readOutsideChain(database: ProjectDatabase): AsyncGenerator<string> {
  for (let after = NIL_UUID; ; ) {
    const rows = await database.query<{ audit_id: string }>(READ_OUTSIDE, [database.projectId, after]);
    for (const { audit_id } of rows) yield audit_id;
    if (rows.length < LINK_PAGE) return;
    after = rows.at(-1)!.audit_id;
  }
}
