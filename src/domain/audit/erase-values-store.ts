import type { Call, ProjectDatabase, Statement } from '../../storage/database.ts';
import { createPurge } from '../../storage/purge.ts';

/* Values of entries are erased with their salts. The commitments in the chain remain, and reveal nothing without the salts. */

const ERASE_ADDRESS = 'address = null, address_hash = null, address_salt = null';
const ERASE_REASON = 'reason = null, reason_salt = null';
const ERASE_CHANGE = 'before = null, before_salt = null, after = null, after_salt = null';

const ERASE_REASONS: Statement = {
  name: 'audit.erase_reasons',
  text: `with gone as (
           delete from audit_subjects where project_id = $1 and subject = any($2::text[]) returning audit_id
         )
         update audit_log a set ${ERASE_REASON} from (select distinct audit_id from gone) g
         where a.project_id = $1 and a.audit_id = g.audit_id and a.reason_salt is not null`,
};

/** The statement that erases the reasons about subjects. */
export function eraseReasonsCall(projectId: string, subjects: readonly string[]): Call {
  return [ERASE_REASONS, [projectId, subjects]];
}

const ADDRESSES_AT_ONCE = 500;

const ERASE_ADDRESSES: Statement = {
  name: 'audit.erase_addresses',
  text: `with chosen as materialized (
           select audit_id from audit_log
           where project_id = $1 and actor = $2 and at < coalesce($3::timestamptz, 'infinity') and address is not null
           limit ${ADDRESSES_AT_ONCE}
         )
         update audit_log a set ${ERASE_ADDRESS} from chosen c
         where a.project_id = $1 and a.audit_id = c.audit_id and a.address is not null returning a.audit_id`,
};

/** Erases the addresses of the entries of an actor before a time, in batches; the number of entries. */
export async function eraseAddresses(
  database: ProjectDatabase,
  { actor, until }: { readonly actor: string; readonly until: Date | null },
): Promise<number> {
  for (let total = 0; ; ) {
    const { length } = await database.query(ERASE_ADDRESSES, [database.projectId, actor, until]);
    total += length;
    if (length < ADDRESSES_AT_ONCE) return total;
  }
}

const ERASE_OF_ACTOR: Statement = {
  name: 'audit.erase_actor',
  text: `with chosen as materialized (
           select audit_id from audit_log
           where project_id = $1 and actor = $2 and (address is not null or reason is not null)
           limit ${ADDRESSES_AT_ONCE}
         ), gone as (
           delete from audit_subjects s using chosen c where s.project_id = $1 and s.audit_id = c.audit_id
         )
         update audit_log a set ${ERASE_ADDRESS}, ${ERASE_REASON} from chosen c
         where a.project_id = $1 and a.audit_id = c.audit_id returning a.audit_id`,
};

/** Erases addresses and reasons of the entries of an actor, in batches. The actor itself remains. */
export async function eraseValuesOfActor(database: ProjectDatabase, actor: string): Promise<void> {
  for (;;) {
    const { length } = await database.query(ERASE_OF_ACTOR, [database.projectId, actor]);
    if (length < ADDRESSES_AT_ONCE) return;
  }
}

const ERASE_VALUES: Statement = {
  name: 'audit.erase_values',
  text: `with gone as (delete from audit_subjects where project_id = $1 and audit_id = $2)
         update audit_log set ${ERASE_ADDRESS}, ${ERASE_REASON}, ${ERASE_CHANGE}
         where project_id = $1 and audit_id = $2 and (address is not null or reason is not null or before is not null
           or after is not null)
         returning audit_id`,
};

/** Erases address, reason, before and after of an entry; false if it has none of them. */
export async function eraseValues(database: ProjectDatabase, auditId: string): Promise<boolean> {
  return (await database.query(ERASE_VALUES, [database.projectId, auditId])).length > 0;
}

/** Erases addresses and reasons of entries that are older than a time, of all projects. */
export const purgeAuditedValues = createPurge({
  name: 'audit_values',
  table: 'audit_log',
  key: ['audit_id'],
  column: 'at',
  first: '-infinity',
  condition: '(x.address is not null or x.reason is not null)',
  index: 'all',
  change: `update audit_log a set ${ERASE_ADDRESS}, ${ERASE_REASON} from chosen c
           where a.project_id = c.project_id and a.audit_id = c.audit_id`,
  also: {
    subjects: `delete from audit_subjects s using chosen c where s.project_id = c.project_id and s.audit_id = c.audit_id`,
  },
});
