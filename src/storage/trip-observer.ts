import type pg from 'pg';

/**
 * Receives the names of the prepared statements of each round trip when it begins: at a Sync message, to which the server
 * answers, on a connection that waits for no answer. Statements that are sent before that answer join the same trip and
 * are appended to `statements`. An unnamed statement has the name ''.
 */
export type TripObserver = (statements: readonly string[]) => void;

/** Members of pg's connection that are missing in the published types. */
type Connection = {
  /** `statement` is absent for an unnamed statement. */
  bind(config: { statement?: string }): void;
  sync(): void;
  prependListener(event: 'readyForQuery', listener: () => void): void;
};

/** Counts round trips where messages leave, so that batches, pipelined statements and Prisma's are counted alike. */
export function watchTrips(pool: pg.Pool, onTrip: TripObserver): void {
  pool.on('connect', (client) => {
    const { connection } = client as unknown as { connection: Connection };
    const { bind, sync } = connection;
    let statements: string[] = [];
    let unanswered = 0;
    connection.bind = (config) => {
      statements.push(config.statement ?? '');
      bind.call(connection, config);
    };
    connection.sync = () => {
      if (unanswered === 0) onTrip(statements);
      unanswered += 1;
      sync.call(connection);
    };
    connection.prependListener('readyForQuery', () => {
      // The simple protocol is answered without a Sync.
      if (unanswered === 0) return;
      unanswered -= 1;
      if (unanswered === 0) statements = [];
    });
  });
}
