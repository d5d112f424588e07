import { EVENT_TYPES } from '@vouchgraph/events/event-type';
import { isUuid } from '@vouchgraph/platform/ids';
import {
  eventTypeOf,
  eventTypeValue,
  minuteOf,
  noneText,
  print,
  printJson,
  printTable,
  printText,
  requireChange,
  UsageError,
  wordOf,
} from '@vouchgraph/terminal';
import { globalIdOf, readGlobalId } from '../../graphql/kernel/node-id.ts';
import { type Api, type Connection, readEdges } from '../support/api.ts';
import { notFound } from '../support/not-found.ts';
import {
  CREATE_ENDPOINT,
  ENDPOINT_BY_ID,
  ENDPOINTS,
  ROTATE_SECRET,
  SEND_TEST,
  UPDATE_ENDPOINT,
} from './documents.ts';

type Endpoint = {
  endpointId: string;
  url: string;
  description: string | null;
  eventTypes: string[];
  signatureFormat: string;
  signatureKey: string;
  ratePerMinute: number | null;
  endpointState: string;
  disabledReason: string | null;
  failingSince: string | null;
  createdAt: string;
};

const typesOf = ({ eventTypes }: Endpoint) => eventTypes.map((type) => eventTypeOf(type, EVENT_TYPES));

/** An endpoint for scripts, with the names of the REST interface. */
const shown = (endpoint: Endpoint) => ({
  id: endpoint.endpointId,
  url: endpoint.url,
  description: endpoint.description ?? '',
  event_types: typesOf(endpoint),
  signature_format: wordOf(endpoint.signatureFormat),
  signature_key: wordOf(endpoint.signatureKey),
  rate_per_minute: endpoint.ratePerMinute,
  state: wordOf(endpoint.endpointState),
  disabled_reason: endpoint.disabledReason && wordOf(endpoint.disabledReason),
  failing_since: endpoint.failingSince,
  created_at: endpoint.createdAt,
});

/** The global id of an endpoint by its id. Throws `webhook.endpoint_not_found`. */
export function endpointIdOf(endpoint: string): string {
  if (isUuid(endpoint)) return globalIdOf('WebhookEndpoint', endpoint.toLowerCase());
  if (readGlobalId(endpoint)?.typename === 'WebhookEndpoint') return endpoint;
  throw notFound('webhook.endpoint_not_found', endpoint);
}

/** The enum values of types of events, as the schema writes them. */
function eventTypeValues(option: string, types: readonly string[]): string[] {
  for (const type of types)
    if (!(EVENT_TYPES as readonly string[]).includes(type))
      throw new UsageError(
        `--${option}: ${JSON.stringify(type)} must be one of ${EVENT_TYPES.join(', ')}`,
        option,
      );
  return types.map(eventTypeValue);
}

export type SignatureOptions = { signature?: string; signatureKey?: string };
type AddOptions = SignatureOptions & { types?: string; description?: string; json?: boolean };

const signing = ({ signature, signatureKey }: SignatureOptions) => ({
  signatureFormat: signature?.toUpperCase(),
  signatureKey: signatureKey?.toUpperCase(),
});

/** Creates an endpoint, and prints its secret this once. */
export async function addEndpoint(
  api: Api,
  { types = '', description, signature, signatureKey, json }: AddOptions,
  url: string,
): Promise<void> {
  const eventTypes = eventTypeValues(
    'types',
    types.split(',').flatMap((type) => type.trim() || []),
  );
  const { createWebhookEndpoint } = await api.run<{
    createWebhookEndpoint: { endpoint: Endpoint; secret: string };
  }>(CREATE_ENDPOINT, {
    input: { url, eventTypes, description, ...signing({ signature, signatureKey }) },
  });
  const { endpoint, secret } = createWebhookEndpoint;
  if (json) return printJson({ ...shown(endpoint), secret });
  print(`${endpoint.url} receives ${textOfTypes(endpoint)} from now on. Its id is ${endpoint.endpointId}.`);
  print('Its secret, shown only once:', '', `  ${secret}`);
}

/** Changes how deliveries of an endpoint are signed. */
export async function setSignature(
  api: Api,
  { signature, signatureKey, json }: SignatureOptions & { json?: boolean },
  id: string,
): Promise<void> {
  requireChange({ signature, signatureKey }, ['signature', 'signature_key']);
  const input = { id: endpointIdOf(id), ...signing({ signature, signatureKey }) };
  const { updateWebhookEndpoint } = await api.run<{ updateWebhookEndpoint: { endpoint: Endpoint } }>(
    UPDATE_ENDPOINT,
    { input },
  );
  const { endpoint } = updateWebhookEndpoint;
  if (json) return printJson(shown(endpoint));
  const key = endpoint.signatureFormat === 'COMPAT' ? ` with the key ${wordOf(endpoint.signatureKey)}` : '';
  print(`Deliveries to ${endpoint.url} have the signature ${wordOf(endpoint.signatureFormat)}${key}.`);
}

/** Prints all endpoints with their state. */
export async function listEndpoints(api: Api, { json }: { json?: boolean }): Promise<void> {
  const edges = await readEdges(Number.POSITIVE_INFINITY, async (page) => {
    const answer = await api.run<{ webhookEndpoints: Connection<{ node: Endpoint }> }>(ENDPOINTS, page);
    return answer.webhookEndpoints;
  });
  const endpoints = edges.map(({ node }) => node);
  if (json) return printJson(endpoints.map(shown));
  if (endpoints.length === 0) return print(noneText('webhook endpoints'));
  printTable(
    ['ID', 'STATE', 'FAILING SINCE', 'URL', 'EVENTS'],
    endpoints.map((endpoint) => [
      endpoint.endpointId,
      stateText(endpoint),
      endpoint.failingSince === null ? '' : minuteOf(endpoint.failingSince),
      endpoint.url,
      textOfTypes(endpoint),
    ]),
  );
}

function stateText({ endpointState, disabledReason }: Endpoint): string {
  return `${wordOf(endpointState)}${disabledReason === null ? '' : ` (${wordOf(disabledReason)})`}`;
}

function textOfTypes(endpoint: Endpoint): string {
  return endpoint.eventTypes.length === 0 ? 'all events' : typesOf(endpoint).join(', ');
}

/** Throws `webhook.endpoint_not_found` unless the project has the endpoint. */
export async function checkEndpoint(api: Api, endpoint: string): Promise<void> {
  const id = endpointIdOf(endpoint);
  const { webhookEndpoint } = await api.run<{ webhookEndpoint: Endpoint | null }>(ENDPOINT_BY_ID, { id });
  if (!webhookEndpoint) throw notFound('webhook.endpoint_not_found', endpoint);
}

type TestResult = {
  endpoint: { endpointId: string; url: string };
  eventId: string;
  delivered: boolean;
  status: number | null;
  durationMs: number;
  error: string | null;
  responseBody: string | null;
};

/** Sends a test event, and prints the response of the receiver; exit code 1 unless it is 2xx. */
export async function testEndpoint(
  api: Api,
  { type, json }: { type: string; json?: boolean },
  id: string,
): Promise<void> {
  const [eventType] = eventTypeValues('type', [type]);
  const input = { endpointId: endpointIdOf(id), type: eventType };
  const { sendTestWebhook: result } = await api.run<{ sendTestWebhook: TestResult }>(SEND_TEST, { input });
  const { endpoint, eventId, delivered, status, durationMs, error, responseBody } = result;
  if (!delivered) process.exitCode = 1;
  if (json)
    return printJson({
      endpoint_id: endpoint.endpointId,
      event_id: eventId,
      event_type: type,
      delivered,
      status,
      duration_ms: durationMs,
      error: error && wordOf(error),
      response_body: responseBody,
    });
  const outcome = status === null ? `no answer (${wordOf(error ?? 'connection')})` : `status ${status}`;
  print(`${delivered ? 'Delivered' : 'Not delivered'}: ${endpoint.url} ${outcome} after ${durationMs} ms.`);
  print(`The event ${eventId} is a test of ${type}.`);
  if (!delivered && responseBody) printText(`\n${responseBody}`);
}

/** Changes an endpoint, and prints its state. */
async function updateEndpoint(
  api: Api,
  input: Record<string, unknown>,
  { json }: { json?: boolean },
): Promise<void> {
  const { updateWebhookEndpoint } = await api.run<{ updateWebhookEndpoint: { endpoint: Endpoint } }>(
    UPDATE_ENDPOINT,
    { input },
  );
  const { endpoint } = updateWebhookEndpoint;
  if (json) return printJson(shown(endpoint));
  print(`${endpoint.url} is ${stateText(endpoint)}.`);
}

/** Pauses an endpoint: it receives the missed events once it is resumed. */
export function pauseEndpoint(api: Api, options: { json?: boolean }, id: string): Promise<void> {
  return updateEndpoint(api, { id: endpointIdOf(id), paused: true }, options);
}

/** Resumes an endpoint that is paused or disabled. */
export function resumeEndpoint(
  api: Api,
  options: { from?: Date; json?: boolean },
  id: string,
): Promise<void> {
  const input = { id: endpointIdOf(id), paused: false, resumeFrom: options.from?.toISOString() };
  return updateEndpoint(api, input, options);
}

/** Replaces the secret of an endpoint, and prints the new one this once. */
export async function rotateSecret(api: Api, { json }: { json?: boolean }, id: string): Promise<void> {
  const { rotateWebhookSecret } = await api.run<{
    rotateWebhookSecret: { endpoint: Endpoint & { previousSecretUntil: string | null }; secret: string };
  }>(ROTATE_SECRET, { id: endpointIdOf(id) });
  const { endpoint, secret } = rotateWebhookSecret;
  const { previousSecretUntil: until } = endpoint;
  if (json) return printJson({ ...shown(endpoint), previous_secret_until: until, secret });
  print(`The new secret of ${endpoint.url}, shown only once:`, '', `  ${secret}`, '');
  if (until !== null) print(`The previous secret also signs until ${until}.`);
}
