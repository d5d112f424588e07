import { inputShape } from '@vouchgraph/platform/input-shape';
import { objectIdShape } from '@vouchgraph/platform/object-id';
import { hasForbiddenCharacters } from '@vouchgraph/platform/text';
import { FORBIDDEN_TEXT } from '@vouchgraph/platform/unstorable';
import { isReadableText, NO_HIDDEN_TEXT } from '@vouchgraph/platform/visible-text';
import { betweenText } from '@vouchgraph/platform/wording';
import { z } from 'zod';
import { EVENT_TYPES, type EventType } from '../catalogue/event-type.ts';
import { isPayloadFormat, PAYLOAD_FORMATS } from '../event-body.ts';
import { SIGNATURE_FORMATS, SIGNATURE_KEYS, type SignatureFormat, type SignatureKey } from './endpoint.ts';

const DESCRIPTION_LENGTH = 1024;
const MAX_PER_MINUTE = 60_000;

/** One of the types of events. */
export const eventTypeShape = z
  .string()
  .refine((type) => EVENT_TYPES.includes(type as EventType), `must be one of ${EVENT_TYPES.join(', ')}`);

const URL_RULE =
  'URL of the receiver: https, a public host, at most 2,000 characters, without user name, password and ' +
  'fragment. Sandbox projects also accept http on loopback if WEBHOOK_ALLOW_LOOPBACK is set and no production project exists.';

const descriptionOf = (more: string) =>
  z
    .string()
    .max(DESCRIPTION_LENGTH, `must be at most ${DESCRIPTION_LENGTH} characters`)
    .refine((text) => !hasForbiddenCharacters(text), FORBIDDEN_TEXT)
    .refine(isReadableText, NO_HIDDEN_TEXT)
    .nullish()
    .describe(`Description, at most 1,024 characters.${more}`);

const eventTypesOf = (more: string) =>
  z
    .array(eventTypeShape)
    .max(100)
    .nullish()
    .describe(`Event types that the endpoint receives. Empty: all types. ${more}`);

const rateOf = (more: string) =>
  z
    .int()
    .min(0, betweenText(0, MAX_PER_MINUTE))
    .max(MAX_PER_MINUTE, betweenText(0, MAX_PER_MINUTE))
    .nullish()
    .describe(`Maximum number of attempts per minute, at most 60,000. 0: no limit.${more}`);

export const signatureFormatShape = z.enum(SIGNATURE_FORMATS);
export const signatureKeyShape = z.enum(SIGNATURE_KEYS);

const KEY_RULE = 'Key of the header x-signature of the format COMPAT.';

export const newEndpointShape = inputShape('CreateWebhookEndpointInput', 'Webhook endpoint to create.', {
  url: z.string().describe(URL_RULE),
  eventTypes: eventTypesOf('All types by default.'),
  description: descriptionOf(' None by default.'),
  signatureFormat: signatureFormatShape
    .nullish()
    .describe('Format of the signatures, and with it of the bodies. STANDARD by default.'),
  signatureKey: signatureKeyShape.nullish().describe(`${KEY_RULE} TEXT by default.`),
  ratePerMinute: rateOf(' No limit by default.'),
});

export const endpointChangesShape = inputShape(
  'UpdateWebhookEndpointInput',
  'Changes of a webhook endpoint. Null or absent: unchanged.',
  {
    id: objectIdShape.describe('Global id of the endpoint, or its endpointId.'),
    url: z.string().nullish().describe(URL_RULE),
    eventTypes: eventTypesOf('They replace the stored types.'),
    description: descriptionOf(''),
    signatureFormat: signatureFormatShape
      .nullish()
      .describe('Format of the signatures. A change also sets the format of the bodies.'),
    signatureKey: signatureKeyShape.nullish().describe(KEY_RULE),
    payloadFormat: z
      .int()
      .refine(isPayloadFormat, `must be one of ${PAYLOAD_FORMATS.join(', ')}`)
      .nullish()
      .describe(
        'Format of the bodies: 1, or 2, in which email.intelligence.completed is the object of GET /email/{request_id}. ' +
          '1 for STANDARD and 2 for COMPAT by default.',
      ),
    ratePerMinute: rateOf(''),
    paused: z
      .boolean()
      .nullish()
      .describe(
        'Whether the endpoint is paused. False also enables a disabled endpoint, which then receives ' +
          'the missed events.',
      ),
    resumeFrom: z
      .date()
      .nullish()
      .describe(
        'Time to resume from. Earlier events are dropped. Requires paused: false. No event is dropped by ' +
          'default.',
      ),
  },
);

export type NewEndpoint = {
  readonly url: string;
  readonly eventTypes?: readonly string[] | null;
  readonly description?: string | null;
  readonly signatureFormat?: SignatureFormat | null;
  readonly signatureKey?: SignatureKey | null;
  readonly ratePerMinute?: number | null;
};

/** Changes of an endpoint; null and absent values change nothing. */
export type EndpointChanges = {
  readonly url?: string | null;
  readonly eventTypes?: readonly string[] | null;
  readonly description?: string | null;
  readonly signatureFormat?: SignatureFormat | null;
  readonly signatureKey?: SignatureKey | null;
  readonly payloadFormat?: number | null;
  /** 0: no limit. */
  readonly ratePerMinute?: number | null;
  readonly paused?: boolean | null;
  /** When it is resumed: events before this time are not delivered. */
  readonly resumeFrom?: Date | null;
};

/** Each type once, in the order of the list of types. */
export function orderedTypes(types: readonly string[]): EventType[] {
  return EVENT_TYPES.filter((type) => types.includes(type));
}
