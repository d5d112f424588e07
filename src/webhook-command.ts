import { setTimeout as delay } from 'node:timers/promises';
import type { WebhooksForCommandLine } from './app.ts';
import { followAttempts } from './domain/webhooks/delivery-store.ts';
import type { Endpoint } from './domain/webhooks/endpoint.ts';
import type { Resent } from './domain/webhooks/endpoint-service.ts';
import { endpointNotFound } from './domain/webhooks/errors.ts';
import { invalidInput } from './platform/errors.ts';
import { firstIdAt } from './platform/ids.ts';

const print = (line: string): void => void process.stdout.write(`${line}\n`);
const printJson = (value: unknown) => print(JSON.stringify(value, null, 2));

const LOOK_MS = 500;

/** An endpoint as scripts read it, with the names of the REST interface. */
const shown = (endpoint: Endpoint) => ({
  id: endpoint.endpointId,
  url: endpoint.url,
  description: endpoint.description,
  event_types: endpoint.eventTypes,
  signature_format: endpoint.signatureFormat,
  rate_per_minute: endpoint.ratePerMinute,
  state: endpoint.state,
  disabled_reason: endpoint.disabledReason || null,
  failing_since: endpoint.failingSince,
  created_at: endpoint.createdAt,
});

/** Makes an endpoint, and prints its secret this once. */
export async function addWebhook(
  { viewer, webhooks }: WebhooksForCommandLine,
  url: string,
  options: { types?: string; description?: string; json?: boolean },
): Promise<void> {
  const eventTypes = (options.types ?? '').split(',').flatMap((type) => type.trim() || []);
  const { description } = options;
  const { endpoint, secret } = await webhooks.create(viewer, null, { url, eventTypes, description });
  if (options.json) return printJson({ ...shown(endpoint), secret });
  print(`${endpoint.url} receives ${textOfTypes(endpoint)} from now on. Its id is ${endpoint.endpointId}.`);
  print(`Its secret, shown this once:\n\n  ${secret}`);
}

export async function listWebhooks(
  { viewer, webhooks }: WebhooksForCommandLine,
  isJson: boolean,
): Promise<void> {
  const endpoints = await webhooks.list(viewer);
  if (isJson) return printJson(endpoints.map(shown));
  for (const endpoint of endpoints) {
    const { endpointId, state, disabledReason, url } = endpoint;
    const why = disabledReason === '' ? '' : ` (${disabledReason})`;
    print(`${endpointId}  ${(state + why).padEnd(18)}  ${url}  ${textOfTypes(endpoint)}`);
  }
  if (endpoints.length === 0) print('No webhook endpoints yet.');
}

/** Prints attempts as they are made, until it is stopped. */
export async function tailWebhooks(
  { viewer, webhooks }: WebhooksForCommandLine,
  endpointId: string | undefined,
  isJson: boolean,
  signal: AbortSignal,
): Promise<void> {
  if (endpointId !== undefined && !(await webhooks.find(viewer, endpointId))) throw endpointNotFound();
  const { database } = viewer.project;
  let last = firstIdAt(new Date());
  if (!isJson) print('Waiting for deliveries; Ctrl-C ends it.');
  while (!signal.aborted) {
    const attempts = await followAttempts(database, last, endpointId ?? null);
    for (const attempt of attempts) {
      last = attempt.attempt_id;
      if (isJson) print(JSON.stringify(attempt));
      else {
        const outcome = attempt.error || (attempt.status ?? '');
        const state =
          attempt.state === 'waiting' ? `again ${attempt.next_attempt_at?.toISOString()}` : attempt.state;
        print(
          `${attempt.at.toISOString()}  ${String(outcome).padEnd(15)}  ${String(attempt.duration_ms).padStart(5)} ms  ` +
            `${attempt.event_type.padEnd(24)}  ${attempt.delivery_id}  ${state}`,
        );
      }
    }
    if (attempts.length === 0) await delay(LOOK_MS, undefined, { signal }).catch(() => {});
  }
}

/** Sends one delivery again, or all of an endpoint since a moment. */
export async function resendWebhooks(
  { viewer, webhooks }: WebhooksForCommandLine,
  deliveryId: string | undefined,
  options: { since?: Date; endpoint?: string; onlyDead?: boolean; json?: boolean },
): Promise<void> {
  const { since, endpoint: endpointId, onlyDead = false } = options;
  const isRange = since !== undefined && endpointId !== undefined;
  if ((deliveryId !== undefined) === isRange || (since === undefined) !== (endpointId === undefined))
    throw invalidInput('delivery: required, or --since and --endpoint');
  let count = 0;
  if (isRange) {
    for (let after: string | null | undefined; after !== null; ) {
      const resent: Resent = await webhooks.resendSince(viewer, null, { endpointId, since, onlyDead, after });
      count += resent.count;
      after = resent.endCursor;
    }
  } else {
    await webhooks.resend(viewer, null, deliveryId!);
    count = 1;
  }
  if (options.json) return printJson({ resent: count });
  print(`${count} ${count === 1 ? 'delivery is' : 'deliveries are'} sent again by a running gateway.`);
}

function textOfTypes({ eventTypes }: Endpoint): string {
  return eventTypes.length === 0 ? 'all events' : eventTypes.join(', ');
}
