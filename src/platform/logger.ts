import { type DestinationStream, type Logger, pino } from 'pino';

export type { Logger };

/**
 * One JSON line per event on standard error, so that standard output stays free for what a person or a script reads.
 * Never pass personal data, keys, SQL or request bodies; ids of requests, projects and operations are what to log.
 */
export function createLogger(
  level: string,
  destination: DestinationStream = pino.destination({ dest: 2, sync: false }),
): Logger {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      serializers: { err: describeError },
    },
    destination,
  );
}

/**
 * What may be said of an unexpected error: its class, the driver's code and where it was thrown. The message is left
 * out, because drivers quote values in it.
 */
function describeError(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { type: typeof error };
  const { code } = error as { code?: unknown };
  const frames = (error.stack ?? '').split('\n').filter((line) => line.startsWith('    at '));
  return {
    type: error.name,
    code: typeof code === 'string' ? code : undefined,
    at: frames
      .slice(0, 8)
      .map((line) => line.trim().replace(/\(?(?:file:\/\/)?\/\S*\/(src|node_modules)\//, '($1/')),
    cause: error.cause === undefined ? undefined : describeError(error.cause),
  };
}
