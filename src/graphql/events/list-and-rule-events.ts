import type { ActionOutcome } from '@vouchgraph/decisions';
import { shownFacts } from '@vouchgraph/events';
import { builder } from '../kernel/builder.ts';
import { asEach, asText } from '../kernel/stored-facts.ts';
import { ListNode } from '../lists/list.ts';
import { RuleNode } from '../rules/rule.ts';
import { RuleActionOutcome } from '../rules/rule-parts.ts';
import { liveNode, unlessForbidden } from './event.ts';
import { interfaceType, objectType } from './event-objects.ts';

export const ListChangedEvent = interfaceType('ListChangedEvent');
builder.interfaceFields(ListChangedEvent, (t) => ({
  list: t.field({
    type: ListNode,
    nullable: true,
    description:
      'Current state of the list with this name. Null if it was deleted or renamed, or the viewer may ' +
      'not read it.',
    complexity: 3,
    resolve: async (event, _args, { viewer, loaders }) => {
      const name = asText(shownFacts(viewer, event).list);
      return unlessForbidden(name, (key) => loaders.listByName.load(key));
    },
  }),
}));

builder.interfaceFields(interfaceType('RuleEvent'), (t) => ({
  rule: t.field({
    type: RuleNode,
    nullable: true,
    description: 'Current state of the rule. Null if it was deleted or the viewer may not read it.',
    complexity: 3,
    resolve: (event, _args, { viewer, loaders }) => {
      const ruleId = asText(shownFacts(viewer, event).ruleId);
      return liveNode(ruleId, (id) => loaders.rule.load(id));
    },
  }),
}));

builder.objectFields(objectType('rule.triggered'), (t) => ({
  actionOutcomes: t.field({
    type: [RuleActionOutcome],
    nullable: true,
    description: 'Actions of the rule with their outcomes. Null if unknown.',
    resolve: (event, _args, { viewer }) =>
      asEach(shownFacts(viewer, event).actions) as ActionOutcome[] | null,
  }),
}));
