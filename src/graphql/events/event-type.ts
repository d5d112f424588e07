import { EVENT_TYPES, type EventType } from '../../domain/events/event-type.ts';
import { eventTypeShape } from '../../domain/webhooks/endpoint-input.ts';
import { builder } from '../kernel/builder.ts';
import { setFieldType } from '../kernel/input-from.ts';

type EventKind = {
  /** Object type that shows events of the type. */
  readonly name: string;
  readonly description: string;
};

/** Every event type, with its object type and its meaning. */
export const EVENT_KINDS: Readonly<Record<EventType, EventKind>> = {
  'session.completed': {
    name: 'SessionCompletedEvent',
    description: 'Completion of a session: all its facts are stored.',
  },
  'account.authenticated': {
    name: 'AccountAuthenticatedEvent',
    description: 'Authentication of an account with a session.',
  },
  'account.updated': {
    name: 'AccountUpdatedEvent',
    description: 'Change of an account without a session.',
  },
  'account.deleted': {
    name: 'AccountDeletedEvent',
    description: 'Erasure of an account with all its data.',
  },
  'account.linked': {
    name: 'AccountLinkedEvent',
    description: 'Link between two accounts. One event for both accounts.',
  },
  'account.unlinked': {
    name: 'AccountUnlinkedEvent',
    description: 'Removal of the link between two accounts. One event for both accounts.',
  },
  'account.outcome_reported': {
    name: 'AccountOutcomeReportedEvent',
    description: 'Report of an outcome of an account.',
  },
  'account.outcome_retracted': {
    name: 'AccountOutcomeRetractedEvent',
    description: 'Retraction of a reported outcome of an account.',
  },
  'list.account_added': {
    name: 'ListAccountAddedEvent',
    description: 'Addition of an account to a list.',
  },
  'list.account_removed': {
    name: 'ListAccountRemovedEvent',
    description: 'Removal of an account from a list.',
  },
  'rule.triggered': {
    name: 'RuleTriggeredEvent',
    description: 'Match of a rule.',
  },
  'rule.custom': {
    name: 'RuleCustomEvent',
    description: 'Event of the action emitEvent of a rule, under the name from the rule.',
  },
  'verification.id_check.completed': {
    name: 'IdCheckCompletedEvent',
    description: 'Completion of an ID check with a result.',
  },
  'verification.face_check.completed': {
    name: 'FaceCheckCompletedEvent',
    description: 'Completion of a face check with a result.',
  },
  'verification.failed': {
    name: 'VerificationFailedEvent',
    description: 'End of a verification session without a result.',
  },
  'verification.reviewed': {
    name: 'VerificationReviewedEvent',
    description: 'Decision of a reviewer on a completed check, or its withdrawal.',
  },
  'email.intelligence.completed': {
    name: 'EmailCheckCompletedEvent',
    description: 'Completion of an email check.',
  },
  'email.batch.completed': {
    name: 'EmailBatchCompletedEvent',
    description: 'Completion of the last check of a batch of email checks.',
  },
  'identity_group.merged': {
    name: 'IdentityGroupMergedEvent',
    description: 'Merge of two identity groups.',
  },
  'identity_group.split': {
    name: 'IdentityGroupSplitEvent',
    description: 'Split of an identity group.',
  },
  'webhook.endpoint_disabled': {
    name: 'WebhookEndpointDisabledEvent',
    description: 'Deactivation of a webhook endpoint whose receiver answered 410 or failed for five days.',
  },
};

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
      { value, description: `${EVENT_KINDS[value].description} In webhooks: ${value}.` },
    ]),
  ) as Record<string, { value: EventType; description: string }>,
});
setFieldType(eventTypeShape, EventTypeEnum);
