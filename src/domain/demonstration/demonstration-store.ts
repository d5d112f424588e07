import { firstIdAt, timeOfId } from '@vouchgraph/platform/ids';
import type { ProjectDatabase, ProjectTransaction, Statement } from '../../storage/database.ts';
import type { DemonstrationData } from '../../storage/generated/prisma/client.ts';
import { namedStatement } from '../../storage/named-statement.ts';
import { idList } from '../../storage/prisma-page.ts';
import { createLeaseQueue, ENDED, type Lease, leaseEnd } from '../../storage/queue/lease-queue.ts';
import { type AuditEntry, auditCall } from '../audit/audit-store.ts';
import type { SetIds } from './set-ids.ts';

export type DemonstrationState = 'filling' | 'filled' | 'failed' | 'removing';

export type { DemonstrationData } from '../../storage/generated/prisma/client.ts';

/** The set of the project; null without one. */
export function findDemonstration({ projectId, prisma }: ProjectDatabase): Promise<DemonstrationData | null> {
  return prisma.demonstrationData.findUnique({ where: { projectId } });
}

const INSERT = namedStatement(
  'demonstration.insert',
  `insert into demonstration_data (project_id, set_id, ids, actor, created_at)
         values (:projectId, :setId, :ids, :actor, :at)
         on conflict (project_id) do nothing
         returning set_id`,
);

export type NewDemonstration = {
  readonly setId: string;
  readonly ids: SetIds;
  readonly actor: string;
  readonly at: Date;
};

/** Stores a set that is to be filled. False if the project has one, whose transaction this one waits for. */
export async function insertDemonstration(
  transaction: ProjectTransaction,
  projectId: string,
  { ids, ...set }: NewDemonstration,
): Promise<boolean> {
  const [rows = []] = await transaction.run(INSERT.call({ projectId, ...set, ids: JSON.stringify(ids) }));
  return rows.length > 0;
}

/** Makes a failed filling due again. */
const RETRY: Statement = {
  name: 'demonstration.retry',
  text: `update demonstration_data set state = 'filling', problem = '', claimable_at = now()
         where project_id = $1 and state = 'failed' returning set_id`,
};

/** Continues a failed filling. False if the set is in another state. */
export async function retryDemonstration(
  transaction: ProjectTransaction,
  projectId: string,
): Promise<boolean> {
  const [rows = []] = await transaction.run([RETRY, [projectId]]);
  return rows.length > 0;
}

/** A process that fills the set keeps its lease until it has finished its step: the removal begins after that. */
const REQUEST_REMOVAL = namedStatement(
  'demonstration.request_removal',
  `update demonstration_data set state = 'removing', done = 0, total = null, problem = '', actor = :actor,
           claimable_at = case when lease_id is null then now() else claimable_at end
         where project_id = :projectId and state <> 'removing'
         returning set_id`,
);

/** Makes the removal of the set due. False if there is no set, or if it is being removed. */
export async function requestRemoval(
  transaction: ProjectTransaction,
  projectId: string,
  actor: string,
): Promise<boolean> {
  const [rows = []] = await transaction.run(REQUEST_REMOVAL.call({ projectId, actor }));
  return rows.length > 0;
}

/** Reads the set of the project, and commits with the audit entry. */
export async function commitWith(
  transaction: ProjectTransaction,
  projectId: string,
  audit: AuditEntry,
): Promise<DemonstrationData> {
  const stored = await transaction.prisma.demonstrationData.findUniqueOrThrow({ where: { projectId } });
  await transaction.commit(auditCall(projectId, audit));
  return stored;
}

/** Time without a saved step after which a process counts as dead. */
const LEASE_SECONDS = 60;

/** Columns that a worker needs. */
type ClaimedRow = {
  readonly state: 'filling' | 'removing';
  readonly ids: SetIds;
  readonly done: number;
  readonly actor: string;
  readonly createdAt: Date;
};

export type ClaimedDemonstration = Lease & ClaimedRow;

/** Sets to fill or to remove. */
export const DEMONSTRATION_QUEUE = createLeaseQueue<ClaimedRow>({
  subject: 'demonstration',
  jobs: 'sets',
  table: 'demonstration_data',
  key: 'set_id',
  leaseSeconds: LEASE_SECONDS,
  columns: 'x.state, x.ids, x.done, x.actor, x.created_at as "createdAt"',
});

const SAVE = namedStatement(
  'demonstration.save',
  `update demonstration_data set done = :done, total = :total, claimable_at = ${leaseEnd(LEASE_SECONDS)}
         where project_id = :projectId and set_id = :setId and lease_id = :leaseId and state = :state
         returning set_id`,
);

/** Stores progress and renews the lease. False if the lease is lost, or if the set is to be removed instead of filled. */
export async function saveProgress(
  database: ProjectDatabase,
  { id: setId, leaseId, state }: ClaimedDemonstration,
  progress: { readonly done: number; readonly total: number },
): Promise<boolean> {
  const { projectId } = database;
  const rows = await database.query(...SAVE.call({ projectId, setId, leaseId, state, ...progress }));
  return rows.length > 0;
}

const END_FILLING = namedStatement(
  'demonstration.end_filling',
  `update demonstration_data set state = :state, problem = :problem, filled_at = :filledAt, ${ENDED}
         where project_id = :projectId and set_id = :setId and lease_id = :leaseId and state = 'filling'`,
);

/** Ends the filling of a set. Does nothing after a lost lease. */
export async function endFilling(
  database: ProjectDatabase,
  { id: setId, leaseId }: ClaimedDemonstration,
  end:
    | { readonly state: 'filled'; readonly filledAt: Date }
    | { readonly state: 'failed'; readonly problem: string },
): Promise<void> {
  const { projectId } = database;
  const { problem = '', filledAt = null, state } = { problem: undefined, filledAt: undefined, ...end };
  await database.query(...END_FILLING.call({ projectId, setId, leaseId, state, problem, filledAt }));
}

const DELETE = namedStatement(
  'demonstration.delete',
  `delete from demonstration_data
         where project_id = :projectId and set_id = :setId and lease_id = :leaseId and state = 'removing'`,
);

/** Deletes the record of a removed set. */
export async function deleteDemonstration(
  database: ProjectDatabase,
  { id: setId, leaseId }: ClaimedDemonstration,
): Promise<void> {
  await database.query(...DELETE.call({ projectId: database.projectId, setId, leaseId }));
}

/** Name of a list, which may have been deleted. */
export async function findListName(
  { projectId, prisma }: ProjectDatabase,
  listId: string,
): Promise<string | null> {
  const where = { projectId_listId: { projectId, listId } };
  return (await prisma.list.findUnique({ where, select: { name: true } }))?.name ?? null;
}

/** State of a rule; null if it does not exist. */
export async function findRuleState(
  { projectId, prisma }: ProjectDatabase,
  ruleId: string,
): Promise<string | null> {
  const where = { projectId_ruleId: { projectId, ruleId } };
  return (await prisma.rule.findUnique({ where, select: { state: true } }))?.state ?? null;
}

/** Those of the sessions that exist and are bound to no account. */
export async function findUnboundSessions(
  { projectId, prisma }: ProjectDatabase,
  sessionIds: readonly string[],
): Promise<string[]> {
  const select = { sessionId: true };
  const where = { projectId, sessionId: { in: idList(sessionIds) } };
  const [stored, bound] = await Promise.all([
    prisma.session.findMany({ where, select }),
    prisma.accountSession.findMany({ where, select }),
  ]);
  const isBound = new Set(bound.map(({ sessionId }) => sessionId));
  return stored.flatMap(({ sessionId }) => (isBound.has(sessionId) ? [] : [sessionId]));
}

/**
 * Deletes archived rules with their versions, unless a decision on another account was made since they were created: its rules can
 * be read again. Only the system may delete versions.
 */
const DELETE_RULES: Statement = {
  name: 'demonstration.delete_rules',
  text: `with unused as (
           select r.rule_id from rules r
           where r.project_id = $1 and r.rule_id = any ($2::uuid[]) and r.state = 'archived' and not exists (
             select 1 from decisions d where d.project_id = $1 and d.decision_id >= $3
           )
         ), versions as (
           delete from rule_versions v using unused u where v.project_id = $1 and v.rule_id = u.rule_id
         )
         delete from rules r using unused u where r.project_id = $1 and r.rule_id = u.rule_id`,
};

type System = { query(statement: Statement, values: readonly unknown[]): Promise<unknown> };

/** Deletes the rules of a set as far as no other decision depends on them; the others stay archived. */
export async function deleteUnusedRules(
  system: System,
  projectId: string,
  ruleIds: readonly string[],
): Promise<void> {
  const [first] = ruleIds.toSorted();
  if (first === undefined) return;
  await system.query(DELETE_RULES, [projectId, ruleIds, firstIdAt(timeOfId(first))]);
}
