import { NIL_UUID } from '@vouchgraph/platform/ids';
import type { Database } from '../../storage/database.ts';
import { namedStatement } from '../../storage/named-statement.ts';

type System = Pick<Database['system'], 'query'>;

/** An account with a label, by its reported outcomes or the lists that it is on, with its latest session. */
export type LabeledAccount = {
  accountId: string;
  isFraud: boolean;
  /** null when the account has no session. */
  session: { sessionId: string; result: Buffer } | null;
};

const PAGE = 500;

/** Whether a membership `m` of a list `l` labels its account at $3. */
const LABELS_BY_LIST = `(m.expires_at is null or m.expires_at > $3)
  and (l.effect in ('block', 'allow') or (l.standard and l.name = 'main_account'))`;

/**
 * The outcome reported last is the label; a chargeback is fraud. Without one block beats allow where both apply, as it does
 * in decisions; a main account is a person's own. One session an account: more of the same would count its label several times.
 */
const LABELED = {
  name: 'calibration.labeled_accounts',
  text: `with labeled as (
           (select distinct o.account_id as id from account_outcomes o
            where o.project_id = $1 and o.account_id > $2 order by 1 limit ${PAGE})
           union
           (select distinct m.account_id from list_members m
            join lists l on l.project_id = $1 and l.list_id = m.list_id
            where m.project_id = $1 and m.account_id > $2 and ${LABELS_BY_LIST} order by 1 limit ${PAGE})
           order by 1 limit ${PAGE}
         )
         select a.id, coalesce(reported.is_fraud, listed.is_fraud) as is_fraud, s.session_id, s.result
         from labeled
         join accounts a on a.project_id = $1 and a.id = labeled.id
         left join lateral (
           select o.outcome <> 'legitimate' as is_fraud from account_outcomes o
           where o.project_id = $1 and o.account_id = a.id order by o.outcome_id desc limit 1
         ) reported on true
         left join lateral (
           select bool_or(l.effect = 'block') as is_fraud from list_members m
           join lists l on l.project_id = $1 and l.list_id = m.list_id
           where m.project_id = $1 and m.account_id = a.id and ${LABELS_BY_LIST}
         ) listed on true
         left join sessions s on s.project_id = $1 and s.session_id = a.last_session
         order by a.id`,
};

/** Every labeled account of a project, read in pages. */
export async function* labeledAccounts(
  system: System,
  projectId: string,
  now: Date,
): AsyncGenerator<LabeledAccount> {
  let after = NIL_UUID;
  for (;;) {
    const rows = await system.query(LABELED, [projectId, after, now]);
    for (const { id, is_fraud, session_id, result } of rows) {
      after = id;
      yield { accountId: id, isFraud: is_fraud, session: result && { sessionId: session_id, result } };
    }
    if (rows.length < PAGE) return;
  }
}

/** A version is the newest one plus one. Of two concurrent inserts the primary key rejects the second. */
const INSERT = namedStatement(
  'calibration.insert',
  `with written as (
           insert into calibrations (project_id, version, fitted_at, weights_version, calibration)
           values (:projectId, :version, :fittedAt, :weightsVersion, :calibration) returning project_id
         )
         insert into audit_log (project_id, audit_id, at, actor, action, target, after)
         select project_id, :auditId, :fittedAt, :actor, 'calibration.fit', 'calibration:' || :version::text,
           :summary from written`,
);

export async function insertCalibration(
  system: System,
  projectId: string,
  calibration: { version: number; fittedAt: Date; weightsVersion: string; json: string; summary: string },
  audit: { auditId: string; actor: string },
): Promise<void> {
  const { version, fittedAt, weightsVersion, json, summary } = calibration;
  await system.query(
    ...INSERT.call({
      projectId,
      version,
      fittedAt,
      weightsVersion,
      calibration: json,
      auditId: audit.auditId,
      actor: audit.actor,
      summary,
    }),
  );
}

const RETIRE_NEWEST = {
  name: 'calibration.retire_newest',
  text: `with gone as (
           update calibrations set retired_at = $3 where project_id = $1 and version = (
             select max(c.version) from calibrations c where c.project_id = $1 and c.retired_at is null
           )
           returning project_id, version
         ), audited as (
           insert into audit_log (project_id, audit_id, at, actor, action, target)
           select project_id, $2, $3, $4, 'calibration.retire', 'calibration:' || version::text from gone
         )
         select version from gone`,
};

/** Retires the calibration in use, so that the one before it is in use again; its version, or null without one. */
export async function retireNewestCalibration(
  system: System,
  projectId: string,
  now: Date,
  audit: { auditId: string; actor: string },
): Promise<number | null> {
  const rows = await system.query(RETIRE_NEWEST, [projectId, audit.auditId, now, audit.actor]);
  return rows[0]?.version ?? null;
}
