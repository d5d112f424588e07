import { ENVELOPE_FORMAT, sampleBody } from '@vouchgraph/events';
import type { SchemaComponents } from '@vouchgraph/rest';
import { COMPAT_CHECK, WEBHOOK_SHAPES } from './webhook-shapes.ts';

const header = (name: string, description: string, required = true) => ({
  name,
  in: 'header',
  required,
  description,
  schema: { type: 'string' },
});

const COMPAT = 'Only with signatureFormat COMPAT.';

const compatHeaders = (required: boolean) => [
  header('x-event-id', `Id of the event. ${COMPAT}`, required),
  header('x-event-type', `Type of the event. ${COMPAT}`, required),
  header(
    'x-signature',
    `t, the seconds since 1970; h, names of signed headers; v1, the hexadecimal HMAC-SHA256 of ` +
      `t.h.<content-type>.<x-event-id>.<x-event-type>.<body>. ${COMPAT}`,
    required,
  ),
];

const HEADERS = [
  header('webhook-id', 'Id of the event. A receiver ignores an event that it has processed.'),
  header('webhook-timestamp', 'Time of the attempt in seconds since 1970.'),
  header(
    'webhook-signature',
    'Signature: v1 and the base64 HMAC-SHA256 of id.timestamp.body, separated by a comma.',
  ),
];

/** Requests that the service sends to endpoints of a project, by type of event. */
export function webhooksOf(components: SchemaComponents): Record<string, unknown> {
  return Object.fromEntries([
    ...WEBHOOK_SHAPES.map((shape) => [shape.type, webhookOf(components, { ...shape, name: shape.type })]),
    [
      COMPAT_NAME,
      webhookOf(components, { ...COMPAT_CHECK, name: COMPAT_NAME, format: ENVELOPE_FORMAT, isCompat: true }),
    ],
  ]);
}

const COMPAT_NAME = `${COMPAT_CHECK.type}.compat`;

type Webhook = Pick<(typeof WEBHOOK_SHAPES)[number], 'type' | 'summary' | 'body'> & {
  readonly name: string;
  readonly format?: number;
  readonly isCompat?: boolean;
};

function webhookOf(
  components: SchemaComponents,
  { type, name, summary, body, format, isCompat = false }: Webhook,
): unknown {
  const example = JSON.parse(sampleBody(type, format));
  return {
    post: {
      operationId: `webhook.${name}`,
      tags: ['webhooks'],
      summary,
      description: 'Sent to each enabled endpoint that receives the type, until the receiver answers 2xx.',
      security: [],
      parameters: [...HEADERS, ...compatHeaders(isCompat)],
      requestBody: {
        required: true,
        content: { 'application/json': { schema: components.answer(body), example } },
      },
      responses: {
        '2XX': { description: 'Event received.' },
        '4XX': {
          description: 'Event not received. The delivery is repeated later. 410 disables the endpoint.',
        },
      },
    },
  };
}
