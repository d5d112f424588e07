import { z } from 'zod';
import { hasForbiddenCharacters } from '../../platform/text.ts';
import { betweenText, FORBIDDEN_TEXT } from '../../platform/wording.ts';
import { isPayloadFormat, PAYLOAD_FORMATS } from '../events/event-body.ts';
import { EVENT_TYPES, type EventType } from '../events/event-type.ts';
import type { SignatureFormat } from './endpoint.ts';

const DESCRIPTION_LENGTH = 1024;
const MOST_PER_MINUTE = 60_000;

/** One of the types of events. */
export const eventTypeShape = z
  .string()
  .refine((type) => EVENT_TYPES.includes(type as EventType), `must be one of ${EVENT_TYPES.join(', ')}`);

const shared = {
  description: z
    .string()
    .max(DESCRIPTION_LENGTH, `must be at most ${DESCRIPTION_LENGTH} characters`)
    .refine((text) => !hasForbiddenCharacters(text), FORBIDDEN_TEXT)
    .nullish(),
  eventTypes: z.array(eventTypeShape).max(100).nullish(),
  ratePerMinute: z
    .int()
    .min(0, betweenText(0, MOST_PER_MINUTE))
    .max(MOST_PER_MINUTE, betweenText(0, MOST_PER_MINUTE))
    .nullish(),
};

export const newEndpointShape = z.looseObject(shared);
export const endpointChangesShape = z.looseObject({
  ...shared,
  payloadFormat: z
    .int()
    .refine(isPayloadFormat, `must be one of ${PAYLOAD_FORMATS.join(', ')}`)
    .nullish(),
});

export type NewEndpoint = {
  readonly url: string;
  readonly eventTypes?: readonly string[] | null;
  readonly description?: string | null;
  readonly signatureFormat?: SignatureFormat | null;
  readonly ratePerMinute?: number | null;
};

/** Null and absent leave what there is. */
export type EndpointChanges = {
  readonly url?: string | null;
  readonly eventTypes?: readonly string[] | null;
  readonly description?: string | null;
  readonly signatureFormat?: SignatureFormat | null;
  readonly payloadFormat?: number | null;
  /** 0: no limit. */
  readonly ratePerMinute?: number | null;
  readonly paused?: boolean | null;
  /** When it is resumed: what happened before is passed over. */
  readonly resumeFrom?: Date | null;
};

/** Each type once, in the order of the list of types. */
export function orderedTypes(types: readonly string[]): EventType[] {
  return EVENT_TYPES.filter((type) => types.includes(type));
}
