import { type DestinationStream, type Logger, pino } from 'pino';

export type { Logger };

/**
 * Writes one JSON line per event to standard error; standard output is for command results. Never log personal data, keys, SQL or
 * request bodies. Log ids of requests, projects and operations.
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
 * Loggable properties of an unexpected error: its class, the driver's code and its stack. The message is omitted, because drivers
 * quote values in it.
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
