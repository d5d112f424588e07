import type { StoredEvent } from '../../domain/events/event.ts';
import { shownFacts } from '../../domain/events/event-selection.ts';
import { builder } from '../kernel/builder.ts';
import type { GraphQLContext } from '../kernel/context.ts';
import { eventFacts, int, text, time, uuid, word } from '../kernel/fact-fields.ts';
import { asText } from '../kernel/stored-facts.ts';
import { IdentityGroupRef, identityGroupOf } from '../links/identity-group.ts';
import { WebhookEndpointNode } from '../webhooks/webhook.ts';
import { WebhookDisabledReason } from '../webhooks/webhook-enums.ts';
import { eventObject, liveNode } from './event.ts';

/** The group of an id in the data; a group that merged into another is that one. */
function groupOf(name: string) {
  return async (event: StoredEvent, _args: object, { viewer, loaders }: GraphQLContext) => {
    const groupId = asText(shownFacts(viewer, event)[name]);
    return identityGroupOf(await liveNode(groupId, (id) => loaders.renamedIdentityGroup.load(id)));
  };
}

const IdentityGroupMergedEvent = eventObject('identity_group.merged');
builder.objectFields(IdentityGroupMergedEvent, (t) => ({
  ...eventFacts(t, {
    groupId: uuid('Id of the group that remains.', { from: 'identityGroupId' }),
    mergedGroupId: uuid('Id of the group that was merged into the remaining group.'),
    size: int('Number of accounts after the merge, at least 2.', { from: 'accounts' }),
  }),
  identityGroup: t.field({
    type: IdentityGroupRef,
    nullable: true,
    description: 'Current state of the group that remains. Null if it no longer exists.',
    complexity: 3,
    resolve: groupOf('identityGroupId'),
  }),
}));

const IdentityGroupSplitEvent = eventObject('identity_group.split');
builder.objectFields(IdentityGroupSplitEvent, (t) => ({
  ...eventFacts(t, {
    groupId: uuid('Id of the group that was split.', { from: 'identityGroupId' }),
    newGroupId: uuid('Id of the group that was split off.'),
    size: int('Number of accounts of the new group, at least 2.', { from: 'accounts' }),
  }),
  identityGroup: t.field({
    type: IdentityGroupRef,
    nullable: true,
    description: 'Current state of the group that was split. Null if it no longer exists.',
    complexity: 3,
    resolve: groupOf('identityGroupId'),
  }),
  newIdentityGroup: t.field({
    type: IdentityGroupRef,
    nullable: true,
    description: 'Current state of the group that was split off. Null if it no longer exists.',
    complexity: 3,
    resolve: groupOf('newGroupId'),
  }),
}));

const WebhookEndpointDisabledEvent = eventObject('webhook.endpoint_disabled');
builder.objectFields(WebhookEndpointDisabledEvent, (t) => ({
  ...eventFacts(t, {
    endpointId: uuid('Id of the endpoint.'),
    host: text('Host of the URL at the time of the event.'),
    disabledReason: word(WebhookDisabledReason, 'Reason.', { from: 'reason' }),
    failingSince: time('Time since which all attempts failed.', {
      nulls: 'Null if the attempt before the 410 succeeded.',
    }),
  }),
  webhookEndpoint: t.field({
    type: WebhookEndpointNode,
    nullable: true,
    description: 'Current state of the endpoint. Null if it was deleted or the viewer may not read it.',
    complexity: 3,
    resolve: (event, _args, { viewer, services }) => {
      const endpointId = asText(shownFacts(viewer, event).endpointId);
      return liveNode(endpointId, (id) => services.webhooks.find(viewer, id));
    },
  }),
}));
