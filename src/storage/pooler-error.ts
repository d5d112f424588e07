import { OperatorError } from '@vouchgraph/platform/errors';

/** A connection pooler before the server does not keep a session; one line for the operator. */
export class PoolerError extends OperatorError {
  constructor(reason: string, cause?: unknown) {
    super(
      `DATABASE_URL leads to a connection pooler that ${reason}, or point DATABASE_URL at PostgreSQL itself`,
      {
        cause,
      },
    );
    this.name = 'PoolerError';
  }
}

export const inMode = (mode: 'transaction' | 'statement', cause?: unknown) =>
  new PoolerError(
    `works in ${mode} mode, in which settings of a session (role, project) reach sessions of others: set it to session mode (PgBouncer: pool_mode = session)`,
    cause,
  );

export const notReset = () =>
  new PoolerError(
    'returned a connection with the settings of another session: set it to session mode with a reset (PgBouncer: pool_mode = session, server_reset_query = DISCARD ALL)',
  );

export const tooSmall = (cause: unknown) =>
  new PoolerError(
    'did not open a second connection within 5 s: raise its limits (PgBouncer: default_pool_size, max_db_connections)',
    cause,
  );

/** For an error of a new connection: PoolerError if the pooler rejects a parameter of the URL. */
export function explainParameter(error: unknown): unknown {
  const [, parameter] =
    /unsupported startup parameter(?: in options)?: (\w+)/.exec((error as Error).message) ?? [];
  if (parameter === undefined) return error;
  return new PoolerError(
    `rejects the start-up parameter "${parameter}": remove it from DATABASE_URL, or let the pooler ignore it (PgBouncer: ignore_startup_parameters)`,
    error,
  );
}
