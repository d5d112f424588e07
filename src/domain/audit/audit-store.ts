import { LAST_ID, NIL_UUID } from '../../platform/ids.ts';
import type { ProjectDatabase, Statement } from '../../storage/database.ts';

/** Who did what to which object. Personal fields and account ids enter as keyed hashes only. */
export type AuditEntry = {
  auditId: string;
  at: Date;
  /** The key's visible prefix, `rule:NAME`, `command line` or `system`. */
  actor: string;
  /** Stable dotted name, such as `list.create`. */
  action: string;
  /** Kind and name or id, such as `list:vip`; account ids hashed. */
  target: string;
  requestId: string | null;
  /** What changed, by name; null when there was nothing. */
  before?: AuditedValues | null;
  /** The same afterwards; null when nothing is left. */
  after?: AuditedValues | null;
};

export type AuditedValues = Readonly<Record<string, unknown>>;

const INSERT: Statement = {
  name: 'audit.insert',
  text: `insert into audit_log (project_id, audit_id, at, actor, action, target, request_id, before, after)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
};

/** The statement that writes a line of the audit log, for the transaction of the change that it tells. */
export function auditCall(projectId: string, entry: AuditEntry): readonly [Statement, readonly unknown[]] {
  const { auditId, at, actor, action, target, requestId, before, after } = entry;
  return [INSERT, [projectId, auditId, at, actor, action, target, requestId, toJson(before), toJson(after)]];
}

function toJson(value: AuditedValues | null | undefined): string | null {
  return value == null ? null : JSON.stringify(value);
}

export type AuditRow = {
  audit_id: string;
  at: Date;
  actor: string;
  action: string;
  target: string;
  request_id: string | null;
  before: AuditedValues | null;
  after: AuditedValues | null;
};

/** Which lines; all conditions together. */
export type AuditSearch = {
  /** An action, or the beginning of several. */
  action?: string | null;
  actor?: string | null;
  target?: string | null;
  /** At or after. */
  since?: Date | null;
  /** Before. */
  until?: Date | null;
  /** The account's mark (account-mark.ts), whole and short. */
  account?: { whole: string; short: string } | null;
};

/** A line's place in the order by time. */
export type AuditPosition = readonly [at: Date | string, auditId: string];

/** One range of the index by time, with or without conditions: what is not asked for is null, or without end. */
const read = (name: string, sign: '<' | '>', direction: 'asc' | 'desc'): Statement => ({
  name,
  text: `select audit_id, at, actor, action, target, request_id, before, after from audit_log
         where project_id = $1 and (at, audit_id) ${sign} ($2::timestamptz, $3::uuid)
           and at >= $4::timestamptz and at < $5::timestamptz
           and ($6::text is null or starts_with(action, $6)) and ($7::text is null or actor = $7)
           and ($8::text is null or target = $8)
           and ($9::text is null or target = any(array['account:' || $9, 'account:' || $10])
                or strpos(before::text, $10) > 0 or strpos(after::text, $10) > 0)
         order by at ${direction}, audit_id ${direction} limit $11`,
});
const NEWEST_FIRST = read('audit.newest_first', '<', 'desc');
const OLDEST_FIRST = read('audit.oldest_first', '>', 'asc');

/** Up to `limit` lines behind a position, or from the first one, the newest or the oldest first. */
export function readAudit(
  database: ProjectDatabase,
  search: AuditSearch,
  page: { order: 'newest' | 'oldest'; after: AuditPosition | null; limit: number },
): Promise<AuditRow[]> {
  const [statement, start]: [Statement, AuditPosition] =
    page.order === 'newest' ? [NEWEST_FIRST, ['infinity', LAST_ID]] : [OLDEST_FIRST, ['-infinity', NIL_UUID]];
  const [at, auditId] = page.after ?? start;
  return database.query<AuditRow>(statement, [
    database.projectId,
    at,
    auditId,
    search.since ?? '-infinity',
    search.until ?? 'infinity',
    search.action ?? null,
    search.actor ?? null,
    search.target ?? null,
    search.account?.whole ?? null,
    search.account?.short ?? null,
    page.limit,
  ]);
}

const EXPORT_PAGE = 1000;

/** Every line, the oldest first, read in pages. */
export async function* allAudit(database: ProjectDatabase, search: AuditSearch): AsyncGenerator<AuditRow> {
  let after: AuditPosition | null = null;
  for (;;) {
    const rows: AuditRow[] = await readAudit(database, search, {
      order: 'oldest',
      after,
      limit: EXPORT_PAGE,
    });
    yield* rows;
    const last = rows[rows.length - 1];
    if (rows.length < EXPORT_PAGE || !last) return;
    after = [last.at, last.audit_id];
  }
}
