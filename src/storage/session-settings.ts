/** Settings of the server, by name. `sql`: an expression. */
export type Settings = Readonly<Record<string, string | number | { readonly sql: string }>>;

/**
 * Settings of every connection of ours. Statements of queues and requests avoid methods of the planner (`enable_seqscan`),
 * which it does by a cost of 1e10 before PostgreSQL 18. The just-in-time compiler of the server starts at a cost of 1e5, and
 * compiles such a statement for seconds.
 */
const COMMON: Settings = { jit: 'off' };

/** Set by a session of ours. If a new session has it, a pooler gave it the connection of another one. */
const MARK = 'app.connection';
const READ_MARK = `coalesce(current_setting('${MARK}', true), '')`;

/** Reads a SessionRow. */
export const READ_SESSION = `select ${READ_MARK} as mark, pg_backend_pid() as pid`;

/** Mark of the session, and process id of the server. */
export type SessionRow = { mark: string; pid: number };

/**
 * Puts settings into effect for the session by a statement: connection poolers reject or drop start-up parameters. Its first
 * result is the SessionRow before. A connection of another session is left as it is.
 */
export function sessionStatement(settings: Settings = {}): string {
  const all: Settings = { ...COMMON, ...settings, [MARK]: 'open' };
  const rows = Object.entries(all).map(
    ([name, value]) => `('${name}', ${typeof value === 'object' ? value.sql : `'${value}'`})`,
  );
  return `${READ_SESSION}; select set_config(name, value, false) from (values ${rows.join(', ')}) as s (name, value)
    where ${READ_MARK} = ''`;
}
