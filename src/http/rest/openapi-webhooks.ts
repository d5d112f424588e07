import { sampleBody } from '../../domain/events/samples/event-samples.ts';
import type { SchemaComponents } from './openapi-schemas.ts';
import { WEBHOOK_SHAPES } from './webhook-shapes.ts';

const header = (name: string, description: string) => ({
  name,
  in: 'header',
  required: true,
  description,
  schema: { type: 'string' },
});

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
  return Object.fromEntries(
    WEBHOOK_SHAPES.map(({ type, summary, body }) => [
      type,
      {
        post: {
          operationId: `webhook.${type}`,
          tags: ['webhooks'],
          summary,
          description:
            'Sent to each enabled endpoint that receives the type, until the receiver answers 2xx.',
          security: [],
          parameters: HEADERS,
          requestBody: {
            required: true,
            content: {
              'application/json': { schema: components.answer(body), example: JSON.parse(sampleBody(type)) },
            },
          },
          responses: {
            '2XX': { description: 'Event received.' },
            '4XX': {
              description: 'Event not received. The delivery is repeated later. 410 disables the endpoint.',
            },
          },
        },
      },
    ]),
  );
}
