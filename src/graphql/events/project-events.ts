import { type StoredEvent, shownFacts } from '@vouchgraph/events';
import { builder } from '../kernel/builder.ts';
import type { GraphQLContext } from '../kernel/context.ts';
import { asText } from '../kernel/stored-facts.ts';
import { IdentityGroupRef, identityGroupOf } from '../links/identity-group.ts';
import { liveNode } from './event.ts';
import { objectType } from './event-objects.ts';

/** The group of an id in the data; a group that merged into another is that one. */
function groupOf(name: string) {
  return async (event: StoredEvent, _args: object, { viewer, loaders }: GraphQLContext) => {
    const groupId = asText(shownFacts(viewer, event)[name]);
    return identityGroupOf(await liveNode(groupId, (id) => loaders.renamedIdentityGroup.load(id)));
  };
}

builder.objectFields(objectType('identity_group.merged'), (t) => ({
  identityGroup: t.field({
    type: IdentityGroupRef,
    nullable: true,
    description: 'Current state of the group that remains. Null if it no longer exists.',
    complexity: 3,
    resolve: groupOf('identityGroupId'),
  }),
}));

builder.objectFields(objectType('identity_group.split'), (t) => ({
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
