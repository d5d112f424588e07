import type { Call, ProjectDatabase } from '../../storage/database.ts';
import { namedStatement } from '../../storage/named-statement.ts';
import { createPurge, type PurgeRun } from '../../storage/purge.ts';
import type { ActiveReveal, RevealSubjectKind } from './active-reveals.ts';

const COLUMNS = `r.reveal_id as "revealId", r.subject_kind as kind, r.subject_id as "subjectId", a.account_id as "accountId",
  r.created_at as "createdAt", r.expires_at as "expiresAt"`;
const ACCOUNT = `left join accounts a
  on r.subject_kind = 'account' and a.project_id = r.project_id and a.id = r.subject_id`;

const FIND_ACTIVE = namedStatement(
  'reveal.find_active',
  `select ${COLUMNS} from reveals r ${ACCOUNT}
   where r.project_id = :projectId and r.person_id = :personId and r.expires_at > :now
   order by r.expires_at, r.reveal_id`,
);

/** The reveals of a person that have not ended, the one that ends first first. */
export function findActiveReveals(
  database: ProjectDatabase,
  personId: string,
  now: Date,
): Promise<ActiveReveal[]> {
  const { projectId } = database;
  return database.query<ActiveReveal>(...FIND_ACTIVE.call({ projectId, personId, now }));
}

const FIND_SINCE = namedStatement(
  'reveal.find_since',
  `select ${COLUMNS} from reveals r ${ACCOUNT}
   where r.project_id = :projectId and r.person_id = :personId and (r.expires_at > :now or r.created_at >= :since)
   order by r.expires_at, r.reveal_id`,
);

/** The reveals of a person that have not ended, and those since a time, ended or not. */
export function findRevealsSince(
  database: ProjectDatabase,
  personId: string,
  times: { readonly now: Date; readonly since: Date },
): Promise<ActiveReveal[]> {
  const { projectId } = database;
  return database.query<ActiveReveal>(...FIND_SINCE.call({ projectId, personId, ...times }));
}

/** A reveal as it is stored. */
export type NewReveal = {
  readonly projectId: string;
  readonly revealId: string;
  readonly personId: string;
  readonly kind: RevealSubjectKind;
  readonly subjectId: string;
  readonly reason: Uint8Array;
  readonly createdAt: Date;
  readonly expiresAt: Date;
};

const INSERT = namedStatement(
  'reveal.insert',
  `insert into reveals (project_id, reveal_id, person_id, subject_kind, subject_id, reason, created_at, expires_at)
   values (:projectId, :revealId, :personId, :kind, :subjectId, :reason, :createdAt, :expiresAt)`,
);

/** The statement that stores a reveal, for the transaction with its audit entry. */
export function insertRevealCall(reveal: NewReveal): Call {
  return INSERT.call(reveal);
}

const END = namedStatement(
  'reveal.end',
  `update reveals r set expires_at = :now
   where r.project_id = :projectId and r.reveal_id = :revealId and r.person_id = :personId and r.expires_at > :now`,
);

/** The statement that ends an active reveal of a person. */
export function endRevealCall(ended: {
  projectId: string;
  revealId: string;
  personId: string;
  now: Date;
}): Call {
  return END.call(ended);
}

const purgeEnded = createPurge({
  name: 'reveals',
  table: 'reveals',
  key: ['reveal_id'],
  column: 'expires_at',
  first: '-infinity',
  index: 'project',
});

/** Deletes reveals that ended before a time, in all projects. Their entries in the audit log stay. */
export const purgeReveals = (run: PurgeRun, before: Date): Promise<number> => purgeEnded(run, before);
