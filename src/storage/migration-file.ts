/*
 * A migration is one transaction, unless its first line is the directive below: then each of its statements is sent
 * alone and commits alone. CREATE INDEX CONCURRENTLY needs this, because it commits several times itself.
 *
 * Such a file contains plain statements only, each ending with `;` at the end of a line. It may be interrupted after
 * any of them and is then run again from its beginning, so each statement must be repeatable (`if not exists`).
 */
const DIRECTIVE = '-- vouchgraph: outside a transaction';

const INDEX_NAME =
  /^create\s+(?:unique\s+)?index\s+concurrently\s+(?:if\s+not\s+exists\s+)?("?[\w]+"?)\s+on\b/i;

/** Whether the statements of a migration are run outside a transaction. */
export function isOutsideTransaction(sql: string): boolean {
  return sql.split('\n', 1)[0]?.trimEnd() === DIRECTIVE;
}

/** The statements of a migration, in the order in which they are sent. */
export function statementsOf(sql: string): string[] {
  if (!isOutsideTransaction(sql)) return [sql];
  const lines = sql.split(/\r?\n/).filter((line) => !line.trimStart().startsWith('--'));
  const statements = lines.join('\n').split(/;[ \t]*(?:\n|$)/);
  return statements.map((statement) => statement.trim()).filter((statement) => statement !== '');
}

/** The name of the index that a statement builds concurrently, as written in the statement; null for others. */
export function concurrentIndexName(statement: string): string | null {
  return INDEX_NAME.exec(statement)?.[1] ?? null;
}
