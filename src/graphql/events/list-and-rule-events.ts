import type { StoredEvent } from '../../domain/events/event.ts';
import { shownFacts } from '../../domain/events/event-selection.ts';
import type { ActionOutcome } from '../../domain/rules/apply-actions.ts';
import { builder } from '../kernel/builder.ts';
import { eventFacts, int, text, uuid, word } from '../kernel/fact-fields.ts';
import { asEach, asText } from '../kernel/stored-facts.ts';
import { ListNode } from '../lists/list.ts';
import { RuleNode } from '../rules/rule.ts';
import { RuleActionOutcome } from '../rules/rule-parts.ts';
import { EventRef, eventObject, liveNode, unlessForbidden } from './event.ts';

const ListChangeSource = builder.enumType('ListChangeSource', {
  description: 'Origin of the change of a list.',
  values: {
    API: { value: 'api', description: 'Request of a client.' },
    RULE: { value: 'rule', description: 'Action of a rule.' },
    IMPORT: { value: 'import', description: 'Import of accounts.' },
    SYSTEM: {
      value: 'system',
      description: 'Service itself, for example at the expiry of a membership.',
    },
  } as const,
});

export const ListChangedEvent = builder.interfaceRef<StoredEvent>('ListChangedEvent').implement({
  description: 'Addition of an account to a list, or its removal.',
  interfaces: [EventRef, builder.nodeInterfaceRef()],
  fields: (t) => ({
    ...eventFacts(t, {
      listName: text('Name of the list at the time of the event.', { from: 'list' }),
    }),
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
    ...eventFacts(t, {
      changeSource: word(ListChangeSource, 'Origin of the change.', { from: 'source' }),
      reason: text(
        'Reason of the change: the reason in the request, the name of the rule, expired, list_deleted or ' +
          'other_standard_list.',
        { nulls: 'Null without a reason.' },
      ),
    }),
  }),
});

eventObject('list.account_added', [ListChangedEvent]);
eventObject('list.account_removed', [ListChangedEvent]);

const RuleEvent = builder.interfaceRef<StoredEvent>('RuleEvent').implement({
  description: 'Match of a rule, or event that the rule emitted.',
  interfaces: [EventRef, builder.nodeInterfaceRef()],
  fields: (t) => ({
    ...eventFacts(t, {
      ruleId: uuid('Id of the rule.'),
      ruleName: text('Name of the rule at the time of the event.', { from: 'rule' }),
      ruleVersionNumber: int('Version of the rule that matched, from 1.', { from: 'ruleVersion' }),
    }),
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
  }),
});

const RuleTriggeredEvent = eventObject('rule.triggered', [RuleEvent]);
builder.objectFields(RuleTriggeredEvent, (t) => ({
  actionOutcomes: t.field({
    type: [RuleActionOutcome],
    nullable: true,
    description: 'Actions of the rule with their outcomes. Null if unknown.',
    resolve: (event, _args, { viewer }) =>
      asEach(shownFacts(viewer, event).actions) as ActionOutcome[] | null,
  }),
}));

const RuleCustomEvent = eventObject('rule.custom', [RuleEvent]);
builder.objectFields(RuleCustomEvent, (t) => ({
  ...eventFacts(t, {
    eventName: text('Name of the event, from the emitEvent action.', { from: 'name' }),
  }),
}));
