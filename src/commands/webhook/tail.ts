import { setTimeout as delay } from 'node:timers/promises';
import { EVENT_TYPES } from '@vouchgraph/events/event-type';
import { AppError } from '@vouchgraph/platform/errors';
import { NIL_UUID } from '@vouchgraph/platform/ids';
import { abortOnSignal, eventTypeOf, printNotice, printRow, printText, wordOf } from '@vouchgraph/terminal';
import { internalIdOf } from '../../graphql/kernel/node-id.ts';
import type { Api } from '../support/api.ts';
import { connectionCode } from '../support/report-error.ts';
import { type Target, withApi } from '../support/with-api.ts';
import { type Attempt, AttemptReader } from './attempts.ts';
import { checkEndpoint, endpointIdOf } from './endpoints.ts';

type TailOptions = { endpoint?: string; since?: Date; json?: boolean };

const RECONNECT_MS = 1000;

/**
 * Prints attempts as they are stored, until Ctrl-C. Once it has been connected, it survives outages of the gateway and
 * of the database, and continues with the first attempt that it has not printed.
 */
export async function tailAttempts(target: Target, options: TailOptions): Promise<void> {
  const signal = abortWithReader();
  const reader = new AttemptReader(options.since);
  const state = { isConnected: false, isOutage: false };
  while (!signal.aborted) {
    try {
      await withApi({ ...target, required: 'running' }, (api) =>
        pollAttempts(api, reader, options, state, signal),
      );
    } catch (error) {
      if (!state.isConnected || !isOutage(error)) throw error;
      if (!state.isOutage) printNotice('Connection lost. Waiting for the gateway.', options.json);
      state.isOutage = true;
      await delay(RECONNECT_MS, undefined, { signal }).catch(() => {});
    }
  }
}

async function pollAttempts(
  api: Api,
  reader: AttemptReader,
  { endpoint, json }: TailOptions,
  state: { isConnected: boolean; isOutage: boolean },
  signal: AbortSignal,
): Promise<void> {
  if (!state.isConnected && endpoint !== undefined) await checkEndpoint(api, endpoint);
  const endpointId = endpoint === undefined ? null : internalIdOf('WebhookEndpoint', endpointIdOf(endpoint));
  while (!signal.aborted) {
    const attempts = await reader.next(api);
    if (!state.isConnected) {
      printNotice('Waiting for deliveries. Press Ctrl-C to stop.', json);
      if (!json) printRow(COLUMNS, WIDTHS);
    } else if (state.isOutage) printNotice('Connected again.', json);
    state.isConnected = true;
    state.isOutage = false;
    for (const attempt of attempts) {
      if (endpointId !== null && attempt.delivery?.endpointId !== endpointId) continue;
      if (json) printText(JSON.stringify(shown(attempt)));
      else printRow(cellsOf(attempt), WIDTHS);
    }
    await delay(api.pollMs, undefined, { signal }).catch(() => {});
  }
}

/** Whether the gateway or the database may be back later. */
function isOutage(error: unknown): boolean {
  if (error instanceof AppError) return error.kind === 'unavailable' || error.kind === 'rate_limited';
  const { code } = error as { code?: unknown };
  return connectionCode(error) !== null || (typeof code === 'string' && /^(57P|ECONN|EPIPE)/.test(code));
}

/** Aborts on Ctrl-C, and when the reader of the output ends. */
function abortWithReader(): AbortSignal {
  const closed = new AbortController();
  process.stdout.once('error', () => closed.abort());
  return AbortSignal.any([abortOnSignal(), closed.signal]);
}

const shown = ({ attemptId, at, status, durationMs, error, delivery }: Attempt) => ({
  attempt_id: attemptId,
  at,
  status,
  duration_ms: durationMs,
  error: error === null ? '' : wordOf(error),
  delivery_id: delivery?.deliveryId ?? null,
  endpoint_id: delivery?.endpointId ?? null,
  endpoint_url: delivery?.endpoint?.url ?? null,
  event_id: delivery?.eventId ?? null,
  event_type: delivery && eventTypeOf(delivery.eventType, EVENT_TYPES),
  state: delivery && wordOf(delivery.deliveryState),
  attempts: delivery?.attemptCount ?? null,
  next_attempt_at: delivery?.nextAttemptAt ?? null,
});

const COLUMNS = ['TIME', 'RESULT', 'DURATION', 'EVENT', 'DELIVERY', 'STATE', 'ENDPOINT'];

/** Later attempts are unknown: widths of the longest values. The address of the endpoint, of any length, is last. */
const WIDTHS = [
  '2027-01-31T00:00:00.000Z'.length,
  'address_refused'.length,
  '60000 ms'.length,
  Math.max(...EVENT_TYPES.map(({ length }) => length)),
  NIL_UUID.length,
  'retry at 2027-01-31T00:00:00.000Z'.length,
  0,
];

function cellsOf({ at, status, durationMs, error, delivery }: Attempt): string[] {
  const result = error === null ? String(status ?? 'interrupted') : wordOf(error);
  const cells = [at, result, `${String(durationMs).padStart(5)} ms`];
  if (!delivery) return [...cells, '', 'deleted', '', ''];
  const { deliveryState, nextAttemptAt, eventType, deliveryId, endpoint, endpointId } = delivery;
  const state = deliveryState === 'WAITING' ? `retry at ${nextAttemptAt}` : wordOf(deliveryState);
  return [...cells, eventTypeOf(eventType, EVENT_TYPES), deliveryId, state, endpoint?.url ?? endpointId];
}
