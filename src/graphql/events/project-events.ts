import type { StoredEvent } from '../../domain/events/event.ts';
import { shownData } from '../../domain/events/event-selection.ts';
import { readIdentityGroup } from '../../domain/linking/identity-group-service.ts';
import { builder } from '../builder.ts';
import type { GraphQLContext } from '../context.ts';
import { IdentityGroupRef, identityGroupOf } from '../identity-group.ts';
import { WebhookEndpointType } from '../webhook-delivery.ts';
import { WebhookDisabledReason } from '../webhook-enums.ts';
import { eventObject, liveNode, unlessForbidden } from './event.ts';
import { readInt, readText, readTime, readWord } from './stored-facts.ts';

/** The group of an id in the data; a group that merged into another is that one. */
function groupOf(name: string) {
  return async (event: StoredEvent, _args: object, { viewer }: GraphQLContext) => {
    const groupId = readText(name)(shownData(viewer, event));
    return identityGroupOf(await unlessForbidden(groupId, (id) => readIdentityGroup(viewer, id)));
  };
}

const IdentityGroupMergedEvent = eventObject('identity_group.merged');
builder.objectFields(IdentityGroupMergedEvent, (t) => ({
  groupId: t.field({
    type: 'UUID',
    nullable: true,
    description: 'Id of the group that remains. Null when unknown.',
    resolve: (event, _args, { viewer }) => readText('identity_group_id')(shownData(viewer, event)),
  }),
  mergedGroupId: t.field({
    type: 'UUID',
    nullable: true,
    description: 'Id of the group that merged into it. Null when unknown.',
    resolve: (event, _args, { viewer }) => readText('merged_group_id')(shownData(viewer, event)),
  }),
  size: t.int({
    nullable: true,
    description: 'Number of accounts after the merge, at least 2. Null when unknown.',
    resolve: (event, _args, { viewer }) => readInt('accounts')(shownData(viewer, event)),
  }),
  identityGroup: t.field({
    type: IdentityGroupRef,
    nullable: true,
    description: 'Current state of the group that remains; null when it no longer exists.',
    complexity: 3,
    resolve: groupOf('identity_group_id'),
  }),
}));

const IdentityGroupSplitEvent = eventObject('identity_group.split');
builder.objectFields(IdentityGroupSplitEvent, (t) => ({
  groupId: t.field({
    type: 'UUID',
    nullable: true,
    description: 'Id of the group that was split. Null when unknown.',
    resolve: (event, _args, { viewer }) => readText('identity_group_id')(shownData(viewer, event)),
  }),
  newGroupId: t.field({
    type: 'UUID',
    nullable: true,
    description: 'Id of the group that was split off. Null when unknown.',
    resolve: (event, _args, { viewer }) => readText('new_group_id')(shownData(viewer, event)),
  }),
  size: t.int({
    nullable: true,
    description: 'Number of accounts of the new group, at least 2. Null when unknown.',
    resolve: (event, _args, { viewer }) => readInt('accounts')(shownData(viewer, event)),
  }),
  identityGroup: t.field({
    type: IdentityGroupRef,
    nullable: true,
    description: 'Current state of the group that was split; null when it no longer exists.',
    complexity: 3,
    resolve: groupOf('identity_group_id'),
  }),
  newIdentityGroup: t.field({
    type: IdentityGroupRef,
    nullable: true,
    description: 'Current state of the group that was split off; null when it no longer exists.',
    complexity: 3,
    resolve: groupOf('new_group_id'),
  }),
}));

const WebhookEndpointDisabledEvent = eventObject('webhook.endpoint_disabled');
builder.objectFields(WebhookEndpointDisabledEvent, (t) => ({
  endpointId: t.field({
    type: 'UUID',
    nullable: true,
    description: 'Id of the endpoint. Null when unknown.',
    resolve: (event, _args, { viewer }) => readText('endpoint_id')(shownData(viewer, event)),
  }),
  host: t.string({
    nullable: true,
    description: 'Host of the URL at the time of the event. Null when unknown.',
    resolve: (event, _args, { viewer }) => readText('host')(shownData(viewer, event)),
  }),
  disabledReason: t.field({
    type: WebhookDisabledReason,
    nullable: true,
    description: 'Reason. Null when unknown.',
    resolve: (event, _args, { viewer }) => readWord('reason', ['gone', 'failing'])(shownData(viewer, event)),
  }),
  failingSince: t.field({
    type: 'DateTime',
    nullable: true,
    description: 'Time since which all attempts failed; null when the last one succeeded before the 410.',
    resolve: (event, _args, { viewer }) => readTime('failing_since')(shownData(viewer, event)),
  }),
  webhookEndpoint: t.field({
    type: WebhookEndpointType,
    nullable: true,
    description:
      'Current state of the endpoint; null when it was deleted, and when the viewer may not read it.',
    complexity: 3,
    resolve: (event, _args, { viewer, loaders }) => {
      const endpointId = readText('endpoint_id')(shownData(viewer, event));
      return liveNode(endpointId, (id) => loaders.webhookEndpoint.load(id));
    },
  }),
}));
