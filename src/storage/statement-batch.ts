import type { Duplex } from 'node:stream';
import pg from 'pg';

/*
 * Several prepared statements as one message to the server, which answers them all in one: after each single statement, pg
 * requests an immediate answer, and each such answer costs about as much as a statement.
 *
 * pg does not support this, so the batch is a query to it that contains several: it is submitted as one, and passes each
 * response to the current query. The server skips all statements after a failed one, including the COMMIT.
 *
 * Describe is omitted for a statement that was described on this connection: the columns of a prepared statement do not
 * change, and the description of a wide row has more bytes than the row.
 */

/** A statement with its values, under the name that it is prepared as. */
export type BatchCall = { name: string; text: string; values: readonly unknown[] };

/** Members of pg's classes that are missing in the published types. */
type Connection = {
  stream: Duplex;
  submittedNamedStatements: Record<string, string>;
  parsedStatements: Record<string, string>;
  sync(): void;
};
/** The columns of a result and how they are read. */
type Description = Pick<pg.QueryResult, 'fields'> & {
  _parsers: unknown;
  _prebuiltEmptyResultObject: unknown;
};
type QueryInternals = {
  name: string;
  text: string;
  callback: Callback;
  _accumulateRows: boolean;
  _result: pg.QueryResult & Description;
  _canceledDueToError: Error | false;
  submit(connection: Connection): Error | null;
  handleRowDescription(message: unknown): void;
  handleDataRow(message: unknown): void;
  handleCommandComplete(message: unknown, connection: Connection): void;
};
type Callback = (error: Error | null, results: pg.QueryResult[]) => void;
const Query = pg.Query as unknown as new (config: object) => QueryInternals;

/** Descriptions received from the server, by the names of prepared statements. */
const descriptions = new WeakMap<Connection, Map<string, Description>>();

function descriptionsOf(connection: Connection): Map<string, Description> {
  const known = descriptions.get(connection);
  if (known) return known;
  const none = new Map<string, Description>();
  descriptions.set(connection, none);
  return none;
}

class StatementBatch extends Query {
  /** Of all statements; pg's own property has the text of the current one. */
  readonly texts: readonly string[];
  readonly #queries: readonly QueryInternals[];
  #index = 0;
  #unsendable: Error | null = null;

  constructor(calls: readonly BatchCall[], types: pg.CustomTypesConfig, done: Callback) {
    super({ ...calls[0], callback: done });
    this.texts = calls.map(({ text }) => text);
    const callback = (error: Error | null) => {
      this.#unsendable ??= error;
    };
    this.#queries = calls.map((call) => new Query({ ...call, types, callback }));
  }

  get #current(): QueryInternals {
    return this.#queries[this.#index] ?? this.#queries[this.#queries.length - 1]!;
  }

  override submit(connection: Connection): Error | null {
    const ignore = { value: () => {} };
    const withoutSync = Object.create(connection, { sync: ignore }) as Connection;
    const described = Object.create(withoutSync, { describe: ignore }) as Connection;
    const known = descriptionsOf(connection);
    connection.stream.cork();
    try {
      for (const query of this.#queries) {
        const description = known.get(query.name);
        if (description) {
          Object.assign(query._result, description);
          query._accumulateRows = true;
        }
        const error = query.submit(description ? described : withoutSync);
        this.#unsendable ??= error;
        // What cannot be sent ends the batch before its COMMIT.
        if (this.#unsendable) break;
      }
      connection.sync();
    } finally {
      connection.stream.uncork();
    }
    return null;
  }

  override handleRowDescription(message: unknown): void {
    this.#current.handleRowDescription(message);
  }

  override handleDataRow(message: unknown): void {
    this.#current.handleDataRow(message);
  }

  override handleCommandComplete(message: unknown, connection: Connection): void {
    const { name, _result } = this.#current;
    this.#current.handleCommandComplete(message, connection);
    const known = descriptionsOf(connection);
    if (!known.has(name)) {
      const { fields, _parsers, _prebuiltEmptyResultObject } = _result;
      known.set(name, { fields, _parsers, _prebuiltEmptyResultObject });
    }
    this.#index += 1;
    // pg notes a statement as prepared under the name of the query that is active then.
    this.name = this.#current.name;
    this.text = this.#current.text;
  }

  handleError(error: Error, connection: Connection): void {
    // Nothing from here on was prepared, although it was sent.
    for (const { name } of this.#queries.slice(this.#index)) {
      delete connection.submittedNamedStatements[name];
      descriptionsOf(connection).delete(name);
    }
    this.callback(error, []);
  }

  handleReadyForQuery(connection: Connection): void {
    // pg closed the statement whose values it could not send.
    if (this.#unsendable) {
      delete connection.parsedStatements[this.#current.name];
      descriptionsOf(connection).delete(this.#current.name);
    }
    const unread = this.#queries.find((query) => query._canceledDueToError)?._canceledDueToError;
    const error = this.#unsendable ?? (unread || null);
    // pg has replaced it by one that also stops the timer of its query timeout.
    this.callback(
      error,
      this.#queries.map((query) => query._result),
    );
  }
}

/** Sends statements in one go and returns the result of each; rejects with the error of the first that failed. */
export function runBatch(
  client: pg.ClientBase,
  calls: readonly BatchCall[],
  types: pg.CustomTypesConfig,
): Promise<pg.QueryResult[]> {
  return new Promise((resolve, reject) => {
    const done: Callback = (error, results) => (error ? reject(error) : resolve(results));
    client.query(new StatementBatch(calls, types, done) as unknown as pg.Submittable);
  });
}
