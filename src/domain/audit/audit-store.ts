import type { KeysetPage } from '@vouchgraph/platform/keyset';
import type { ProjectDatabase, Statement } from '../../storage/database.ts';
import { namedStatement } from '../../storage/named-statement.ts';
import { countFound, findPage, selectionIn } from '../../storage/selection.ts';
import type { ActorKind, AuditAction } from './audit-action.ts';
import type { AuditAuthor, AuditEntry, AuditedValues } from './audit-entry.ts';

export type { AuditEntry } from './audit-entry.ts';

/** SQL: columns of the author of an entry. */
export const AUTHOR_COLUMNS = 'actor, role, address, address_hash, request_id';

/** SQL: their values from the parameters of `authorValues`. */
export const AUTHOR_VALUES =
  ':actor::text, :role::text, :address::bytea, :addressHash::bytea, :requestId::uuid';

/** SQL: their values if an expression is the actor: another actor than that of the request has neither role nor address. */
export function authorOfRow(actor: string): string {
  const own = (value: string) => `case when ${actor} = :actor::text then ${value} end`;
  return `${actor}, ${own(':role::text')}, ${own(':address::bytea')}, ${own(':addressHash::bytea')}, :requestId::uuid`;
}

/** The values of the parameters of `AUTHOR_VALUES` and `authorOfRow`. */
export function authorValues({ actor, role, address, addressHash, requestId }: AuditAuthor) {
  return { actor, role, address, addressHash, requestId };
}

const INSERT = namedStatement(
  'audit.insert',
  `with subjects as (
           insert into audit_subjects (project_id, subject, audit_id)
           select :projectId, s, :auditId from unnest(:subjects::text[]) s
         )
         insert into audit_log (project_id, audit_id, at, ${AUTHOR_COLUMNS}, action, target, before, after, reason)
         values (:projectId, :auditId, :at, ${AUTHOR_VALUES}, :action, :target, :before, :after, :reason)`,
);

/** The statement that writes a line of the audit log, for the transaction of the recorded change. */
export function auditCall(projectId: string, entry: AuditEntry): readonly [Statement, readonly unknown[]] {
  const { auditId, at, author, action, target, before, after, reason, subjects } = entry;
  return INSERT.call({
    ...{ projectId, auditId, at, action, target, reason, subjects },
    ...authorValues(author),
    before: toJson(before),
    after: toJson(after),
  });
}

function toJson(value: AuditedValues | null | undefined): string | null {
  return value == null ? null : JSON.stringify(value);
}

export type AuditRow = {
  audit_id: string;
  at: Date;
  actor: string;
  role: string | null;
  action: AuditAction;
  target: string;
  request_id: string | null;
  before: AuditedValues | null;
  after: AuditedValues | null;
  /** Encrypted. */
  address: Buffer | null;
  /** Encrypted. */
  reason: Buffer | null;
};

/** Which lines; all conditions together. */
export type AuditSearch = {
  /** An action, or the beginning of several. */
  action?: string | null;
  /** Any of these. */
  actions?: readonly AuditAction[] | null;
  actor?: string | null;
  actorKind?: ActorKind | null;
  role?: string | null;
  /** Keyed hash of the client's address. */
  addressHash?: Buffer | null;
  requestId?: string | null;
  target?: string | null;
  /** At or after. */
  since?: Date | null;
  /** Before. */
  until?: Date | null;
  /** Keyed hash of the account (account-hash.ts), whole and shortened. */
  account?: { whole: string; short: string } | null;
};

const COLUMNS = 'audit_id, at, actor, role, action, target, request_id, before, after, address, reason';

/** SQL: the kind of the actor, as `actorKindOf` returns it. */
const ACTOR_KIND = `case when starts_with(actor, 'rule:') then 'RULE' when starts_with(actor, 'person:') then 'PERSON'
             when actor ~ '^vg_(test|live)_' then 'KEY' when actor = 'command line' then 'COMMAND_LINE' else 'SYSTEM' end`;

/** One range of the index by time, with or without conditions: an unset condition is null, an unset time infinite. */
function selectionOf(database: ProjectDatabase, search: AuditSearch) {
  const selection = selectionIn(database, []);
  const { parameter } = selection;
  const since = parameter(search.since ?? '-infinity');
  const until = parameter(search.until ?? 'infinity');
  const action = parameter(search.action ?? null);
  const actor = parameter(search.actor ?? null);
  const target = parameter(search.target ?? null);
  const whole = parameter(search.account?.whole ?? null);
  const short = parameter(search.account?.short ?? null);
  const actions = parameter(search.actions ?? null);
  const actorKind = parameter(search.actorKind ?? null);
  const role = parameter(search.role ?? null);
  const address = parameter(search.addressHash ?? null);
  const requestId = parameter(search.requestId ?? null);
  selection.conditions.push(`project_id = $1 and at >= ${since}::timestamptz and at < ${until}::timestamptz
           and (${action}::text is null or starts_with(action, ${action})) and (${actor}::text is null or actor = ${actor})
           and (${target}::text is null or target = ${target})
           and (${whole}::text is null or target = any(array['account:' || ${whole}, 'account:' || ${short}])
                or strpos(before::text, ${short}) > 0 or strpos(after::text, ${short}) > 0)
           and (${actions}::text[] is null or action = any(${actions}))
           and (${actorKind}::text is null or ${actorKind} = ${ACTOR_KIND}) and (${role}::text is null or role = ${role})
           and (${address}::bytea is null or address_hash = ${address})
           and (${requestId}::uuid is null or request_id = ${requestId})`);
  return selection;
}

const ORDER = [
  { sql: 'at', type: 'timestamptz' },
  { sql: 'audit_id', type: 'uuid' },
] as const;

/** A page of the lines, the newest or the oldest first. */
export function readAudit(
  database: ProjectDatabase,
  search: AuditSearch,
  order: 'newest' | 'oldest',
  page: KeysetPage,
): Promise<AuditRow[]> {
  return findPage(
    selectionOf(database, search),
    'audit.read',
    { columns: ORDER, direction: order === 'newest' ? 'DESC' : 'ASC', page },
    (parts) => `select ${COLUMNS} from audit_log where ${parts.where} ${parts.order}`,
  );
}

/** Number of lines, counted up to a limit. */
export function countAudit(database: ProjectDatabase, search: AuditSearch, limit: number): Promise<number> {
  return countFound(
    selectionOf(database, search),
    'audit.count',
    limit,
    (where, most) => `select from audit_log where ${where} limit ${most}`,
  );
}
