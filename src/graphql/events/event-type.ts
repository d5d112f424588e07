import { definitionOf, EVENT_TYPES, type EventType } from '@vouchgraph/events';
import { eventTypeShape } from '@vouchgraph/events/webhooks';
import { builder } from '../kernel/builder.ts';
import { setFieldType } from '../kernel/input-from.ts';

/** The name of the object type that shows events of a type. */
export function objectNameOf(type: EventType): string {
  return `${definitionOf(type).name}Event`;
}

/** The name of an event type in the schema, such as ACCOUNT_AUTHENTICATED. */
export function enumNameOf(type: EventType): string {
  return type.replaceAll('.', '_').toUpperCase();
}

export const EventTypeEnum = builder.enumType('EventType', {
  description:
    'Type of an event. Webhooks contain it in lower case with dots, such as account.authenticated.',
  values: Object.fromEntries(
    EVENT_TYPES.map((value) => [
      enumNameOf(value),
      { value, description: `${definitionOf(value).description} In webhooks: ${value}.` },
    ]),
  ) as Record<string, { value: EventType; description: string }>,
});
setFieldType(eventTypeShape, EventTypeEnum);
