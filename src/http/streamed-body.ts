import type { IncomingMessage } from 'node:http';
import { importCutOff } from '@vouchgraph/email/files';
import { streamsBody } from '@vouchgraph/pacing';
import { HttpError } from '@vouchgraph/platform/http';

/** A client that sends nothing for so long while it is waited for is disconnected. */
const IDLE_MS = 30_000;
/** The rest of a body that was refused is read and dropped for so long, so that the client sees the answer. */
const DRAIN_MS = 10_000;

/**
 * The pieces of a body as they arrive. Nothing is read ahead of the consumer, so that a sender that is faster than the
 * database waits. Throws `email.import_cut_off` when the connection closes before the end, and 408 when it goes quiet.
 */
export async function* streamBody(request: IncomingMessage, idleMs = IDLE_MS): AsyncGenerator<Buffer> {
  streamsBody(request);
  // The rest of a rejected body must not close the connection, and with it the answer.
  const pieces = request.iterator({ destroyOnReturn: false }) as AsyncIterator<Buffer>;
  for (;;) {
    const next = await nextWithin(pieces, idleMs);
    if (!next.done) yield next.value;
    else if (request.complete) return;
    else throw importCutOff();
  }
}

async function nextWithin(pieces: AsyncIterator<Buffer>, idleMs: number): Promise<IteratorResult<Buffer>> {
  const idle = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => idle.reject(new HttpError(408, 'Request body timed out', { connection: 'close' })),
    idleMs,
  );
  const next = pieces.next().catch(() => {
    throw importCutOff();
  });
  next.catch(() => {});
  try {
    return await Promise.race([next, idle.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/** Drops the rest of a body, and the connection if the client does not stop sending. */
export function dropBody(request: IncomingMessage): void {
  if (request.complete) return;
  request.resume();
  const timer = setTimeout(() => request.destroy(), DRAIN_MS);
  request.once('close', () => clearTimeout(timer)).once('end', () => clearTimeout(timer));
}
