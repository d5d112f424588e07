import type { KeysetPage } from '@vouchgraph/platform/keyset';
import type { ProjectDatabase, Statement } from '../../storage/database.ts';
import { namedStatement } from '../../storage/named-statement.ts';
import { countFound, findPage, selectionIn } from '../../storage/selection.ts';
import type { AuditAction } from './audit-action.ts';

/** Actor, action and object of a change. Personal fields and account ids enter as keyed hashes only. */
export type AuditEntry = {
  auditId: string;
  at: Date;
  /** The key's visible prefix, `rule:NAME`, `command line` or `system`. */
  actor: string;
  action: AuditAction;
  /** Kind and name or id, such as `list:vip`; account ids hashed. */
  target: string;
  requestId: string | null;
  /** Changed values before the change, by name; null without any. */
  before?: AuditedValues | null;
  /** Changed values after the change; null without any. */
  after?: AuditedValues | null;
};

export type AuditedValues = Readonly<Record<string, unknown>>;

const INSERT = namedStatement(
  'audit.insert',
  `insert into audit_log (project_id, audit_id, at, actor, action, target, request_id, before, after)
         values (:projectId, :auditId, :at, :actor, :action, :target, :requestId, :before, :after)`,
);

/** The statement that writes a line of the audit log, for the transaction of the recorded change. */
export function auditCall(projectId: string, entry: AuditEntry): readonly [Statement, readonly unknown[]] {
  const { auditId, at, actor, action, target, requestId, before, after } = entry;
  return INSERT.call({
    projectId,
    auditId,
    at,
    actor,
    action,
    target,
    requestId,
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
  action: AuditAction;
  target: string;
  request_id: string | null;
  before: AuditedValues | null;
  after: AuditedValues | null;
};

/** Which lines; all conditions together. */
export type AuditSearch = {
  /** An action, or the beginning of several. */
  action?: string | null;
  /** Any of these. */
  actions?: readonly AuditAction[] | null;
  actor?: string | null;
  target?: string | null;
  /** At or after. */
  since?: Date | null;
  /** Before. */
  until?: Date | null;
  /** Keyed hash of the account (account-hash.ts), whole and shortened. */
  account?: { whole: string; short: string } | null;
};

const COLUMNS = 'audit_id, at, actor, action, target, request_id, before, after';

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
  selection.conditions.push(`project_id = $1 and at >= ${since}::timestamptz and at < ${until}::timestamptz
           and (${action}::text is null or starts_with(action, ${action})) and (${actor}::text is null or actor = ${actor})
           and (${target}::text is null or target = ${target})
           and (${whole}::text is null or target = any(array['account:' || ${whole}, 'account:' || ${short}])
                or strpos(before::text, ${short}) > 0 or strpos(after::text, ${short}) > 0)
           and (${actions}::text[] is null or action = any(${actions}))`);
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
