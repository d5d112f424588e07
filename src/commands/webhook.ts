import { setTimeout as delay } from 'node:timers/promises';
import type { Command } from 'commander';
import type { FollowedAttempt } from '../domain/webhooks/delivery-store.ts';
import type { Endpoint } from '../domain/webhooks/endpoint.ts';
import type { Resent } from '../domain/webhooks/endpoint-service.ts';
import { endpointNotFound } from '../domain/webhooks/errors.ts';
import { invalidInput } from '../platform/errors.ts';
import { firstIdAt } from '../platform/ids.ts';
import { abortOnSignal } from './support/abort-on-signal.ts';
import { JSON_OPTION, timestamp } from './support/arguments.ts';
import { print, printJson } from './support/print.ts';
import { withProject } from './support/with-database.ts';
import type { CommandWebhooks } from './webhook/open-webhooks.ts';

/** Registers `webhook`. */
export function addWebhookCommand(program: Command): void {
  const webhook = program.command('webhook').description('webhook endpoints: URLs that receive events');
  webhook
    .command('add')
    .description('create an endpoint; its secret is shown once')
    .argument('<project>', 'id of the project')
    .argument('<url>', 'where events are sent')
    .option('-t, --types <types>', 'types of events, separated by commas; all by default')
    .option('-d, --description <text>', 'what it is for')
    .option(...JSON_OPTION)
    .action(addWebhook);
  webhook
    .command('list')
    .description('list endpoints with their state')
    .argument('<project>', 'id of the project')
    .option(...JSON_OPTION)
    .action(listWebhooks);
  webhook
    .command('tail')
    .description('print attempts as they are made')
    .argument('<project>', 'id of the project')
    .option('-e, --endpoint <id>', 'of one endpoint')
    .option('--json', 'print a line of JSON for each')
    .action(tailWebhooks);
  webhook
    .command('resend')
    .description('resend a delivery, or all of an endpoint since a time')
    .argument('<project>', 'id of the project')
    .argument('[delivery]', 'id of the delivery')
    .option('--since <timestamp>', 'events at or after it, such as 2027-01-31T00:00:00Z', timestamp)
    .option('-e, --endpoint <id>', 'with --since: which endpoint')
    .option('--only-dead', 'with --since: only dead deliveries')
    .option(...JSON_OPTION)
    .action(resendWebhooks);
}

/** Gives work the webhooks of a project. What is to be sent is left to a gateway. */
function withWebhooks<T>(projectId: string, work: (webhooks: CommandWebhooks) => Promise<T>): Promise<T> {
  return withProject(projectId, 1, async (viewer, storage) => {
    const { openWebhooks } = await import('./webhook/open-webhooks.ts');
    return work(await openWebhooks(viewer, storage));
  });
}

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

/** Creates an endpoint, and prints its secret this once. */
async function addWebhook(
  projectId: string,
  url: string,
  options: { types?: string; description?: string; json?: boolean },
): Promise<void> {
  const eventTypes = (options.types ?? '').split(',').flatMap((type) => type.trim() || []);
  const { description } = options;
  const { endpoint, secret } = await withWebhooks(projectId, ({ viewer, webhooks }) =>
    webhooks.create(viewer, null, { url, eventTypes, description }),
  );
  if (options.json) return printJson({ ...shown(endpoint), secret });
  print(`${endpoint.url} receives ${textOfTypes(endpoint)} from now on. Its id is ${endpoint.endpointId}.`);
  print(`Its secret, shown this once:\n\n  ${secret}`);
}

async function listWebhooks(projectId: string, options: { json?: boolean }): Promise<void> {
  const endpoints = await withWebhooks(projectId, ({ viewer, webhooks }) => webhooks.list(viewer));
  if (options.json) return printJson(endpoints.map(shown));
  for (const endpoint of endpoints) {
    const { endpointId, state, disabledReason, url } = endpoint;
    const why = disabledReason === '' ? '' : ` (${disabledReason})`;
    print(`${endpointId}  ${(state + why).padEnd(18)}  ${url}  ${textOfTypes(endpoint)}`);
  }
  if (endpoints.length === 0) print('No webhook endpoints yet.');
}

/** Prints attempts as they are made, until Ctrl-C. */
function tailWebhooks(projectId: string, options: { endpoint?: string; json?: boolean }): Promise<void> {
  const { endpoint: endpointId, json = false } = options;
  return withWebhooks(projectId, async ({ viewer, webhooks }) => {
    const { followAttempts } = await import('../domain/webhooks/delivery-store.ts');
    const signal = abortOnSignal();
    if (endpointId !== undefined && !(await webhooks.find(viewer, endpointId))) throw endpointNotFound();
    let last = firstIdAt(new Date());
    if (!json) print('Waiting for deliveries; Ctrl-C ends it.');
    while (!signal.aborted) {
      const attempts = await followAttempts(viewer.project.database, last, endpointId ?? null);
      for (const attempt of attempts) {
        last = attempt.attempt_id;
        print(json ? JSON.stringify(attempt) : textOfAttempt(attempt));
      }
      if (attempts.length === 0) await delay(LOOK_MS, undefined, { signal }).catch(() => {});
    }
  });
}

function textOfAttempt(attempt: FollowedAttempt): string {
  const outcome = attempt.error || (attempt.status ?? '');
  const state =
    attempt.state === 'waiting' ? `again ${attempt.next_attempt_at?.toISOString()}` : attempt.state;
  return (
    `${attempt.at.toISOString()}  ${String(outcome).padEnd(15)}  ${String(attempt.duration_ms).padStart(5)} ms  ` +
    `${attempt.event_type.padEnd(24)}  ${attempt.delivery_id}  ${state}`
  );
}

type ResendOptions = { since?: Date; endpoint?: string; onlyDead?: boolean; json?: boolean };

/** Sends one delivery again, or all of an endpoint since a moment. */
async function resendWebhooks(
  projectId: string,
  deliveryId: string | undefined,
  options: ResendOptions,
): Promise<void> {
  const count = await withWebhooks(projectId, (webhooks) => resend(webhooks, deliveryId, options));
  if (options.json) return printJson({ resent: count });
  print(`${count} ${count === 1 ? 'delivery is' : 'deliveries are'} sent again by a running gateway.`);
}

/** Number of deliveries that are sent again. */
async function resend(
  { viewer, webhooks }: CommandWebhooks,
  deliveryId: string | undefined,
  { since, endpoint: endpointId, onlyDead = false }: ResendOptions,
): Promise<number> {
  const isRange = since !== undefined && endpointId !== undefined;
  if ((deliveryId !== undefined) === isRange || (since === undefined) !== (endpointId === undefined))
    throw invalidInput('delivery: required, or --since and --endpoint');
  if (!isRange) {
    await webhooks.resend(viewer, null, deliveryId!);
    return 1;
  }
  let count = 0;
  for (let after: string | null | undefined; after !== null; ) {
    const resent: Resent = await webhooks.resendSince(viewer, null, { endpointId, since, onlyDead, after });
    count += resent.count;
    after = resent.endCursor;
  }
  return count;
}

function textOfTypes({ eventTypes }: Endpoint): string {
  return eventTypes.length === 0 ? 'all events' : eventTypes.join(', ');
}
