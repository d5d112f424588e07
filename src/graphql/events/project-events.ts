import type { StoredEvent } from '../../domain/events/event.ts';
import { shownFacts } from '../../domain/events/event-selection.ts';
import { builder } from '../builder.ts';
import type { GraphQLContext } from '../context.ts';
import { IdentityGroupRef, identityGroupOf } from '../identity-group.ts';
import { WebhookEndpointNode } from '../webhook.ts';
import { WebhookDisabledReason } from '../webhook-enums.ts';
import { eventObject, liveNode } from './event.ts';
import { readInt, readText, readTime, readWord } from './stored-facts.ts';

/** The group of an id in the data; a group that merged into another is that one. */
function groupOf(name: string) {
  return async (event: StoredEvent, _args: object, { viewer, loaders }: GraphQLContext) => {
    const groupId = readText(name)(shownFacts(viewer, event));
    return identityGroupOf(await liveNode(groupId, (id) => loaders.renamedIdentityGroup.load(id)));
  };
}

const IdentityGroupMergedEvent = eventObject('identity_group.merged');
builder.objectFields(IdentityGroupMergedEvent, (t) => ({
  groupId: t.field({
    type: 'UUID',
    nullable: true,
    description: 'Id of the group that remains. Null if unknown.',
    resolve: (event, _args, { viewer }) => readText('identityGroupId')(shownFacts(viewer, event)),
  }),
  mergedGroupId: t.field({
    type: 'UUID',
    nullable: true,
    description: 'Id of the group that was merged into the remaining group. Null if unknown.',
    resolve: (event, _args, { viewer }) => readText('mergedGroupId')(shownFacts(viewer, event)),
  }),
  size: t.int({
    nullable: true,
    description: 'Number of accounts after the merge, at least 2. Null if unknown.',
    resolve: (event, _args, { viewer }) => readInt('accounts')(shownFacts(viewer, event)),
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
  groupId: t.field({
    type: 'UUID',
    nullable: true,
    description: 'Id of the group that was split. Null if unknown.',
    resolve: (event, _args, { viewer }) => readText('identityGroupId')(shownFacts(viewer, event)),
  }),
  newGroupId: t.field({
    type: 'UUID',
    nullable: true,
    description: 'Id of the group that was split off. Null if unknown.',
    resolve: (event, _args, { viewer }) => readText('newGroupId')(shownFacts(viewer, event)),
  }),
  size: t.int({
    nullable: true,
    description: 'Number of accounts of the new group, at least 2. Null if unknown.',
    resolve: (event, _args, { viewer }) => readInt('accounts')(shownFacts(viewer, event)),
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
  endpointId: t.field({
    type: 'UUID',
    nullable: true,
    description: 'Id of the endpoint. Null if unknown.',
    resolve: (event, _args, { viewer }) => readText('endpointId')(shownFacts(viewer, event)),
  }),
  host: t.string({
    nullable: true,
    description: 'Host of the URL at the time of the event. Null if unknown.',
    resolve: (event, _args, { viewer }) => readText('host')(shownFacts(viewer, event)),
  }),
  disabledReason: t.field({
    type: WebhookDisabledReason,
    nullable: true,
    description: 'Reason. Null if unknown.',
    resolve: (event, _args, { viewer }) => readWord('reason', ['gone', 'failing'])(shownFacts(viewer, event)),
  }),
  failingSince: t.field({
    type: 'DateTime',
    nullable: true,
    description: 'Time since which all attempts failed. Null if the attempt before the 410 succeeded.',
    resolve: (event, _args, { viewer }) => readTime('failingSince')(shownFacts(viewer, event)),
  }),
  webhookEndpoint: t.field({
    type: WebhookEndpointNode,
    nullable: true,
    description: 'Current state of the endpoint. Null if it was deleted or the viewer may not read it.',
    complexity: 3,
    resolve: (event, _args, { viewer, services }) => {
      const endpointId = readText('endpointId')(shownFacts(viewer, event));
      return liveNode(endpointId, (id) => services.webhooks.find(viewer, id));
    },
  }),
}));
