import type { StoredEvent } from '../../domain/events/event.ts';
import { shownFacts } from '../../domain/events/event-selection.ts';
import type { ActionOutcome } from '../../domain/rules/apply-actions.ts';
import { builder } from '../builder.ts';
import { ListNode } from '../list.ts';
import { RuleNode } from '../rule.ts';
import { RuleActionOutcome } from '../rule-parts.ts';
import { EventRef, eventObject, liveNode, unlessForbidden } from './event.ts';
import { readEach, readInt, readText, readWord } from './stored-facts.ts';

const LIST_CHANGE_SOURCES = ['api', 'rule', 'import', 'system'] as const;

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
    listName: t.string({
      nullable: true,
      description: 'Name of the list at the time of the event. Null if unknown.',
      resolve: (event, _args, { viewer }) => readText('list')(shownFacts(viewer, event)),
    }),
    list: t.field({
      type: ListNode,
      nullable: true,
      description:
        'Current state of the list with this name. Null if it was deleted or renamed, or the viewer may ' +
        'not read it.',
      complexity: 3,
      resolve: async (event, _args, { viewer, loaders }) => {
        const name = readText('list')(shownFacts(viewer, event));
        return unlessForbidden(name, (key) => loaders.listByName.load(key));
      },
    }),
    changeSource: t.field({
      type: ListChangeSource,
      nullable: true,
      description: 'Origin of the change. Null if unknown.',
      resolve: (event, _args, { viewer }) =>
        readWord('source', LIST_CHANGE_SOURCES)(shownFacts(viewer, event)),
    }),
    reason: t.string({
      nullable: true,
      description:
        'Reason of the change: the reason in the request, the name of the rule, expired, list_deleted ' +
        'or other_standard_list. Null without a reason.',
      resolve: (event, _args, { viewer }) => readText('reason')(shownFacts(viewer, event)),
    }),
  }),
});

eventObject('list.account_added', [ListChangedEvent]);
eventObject('list.account_removed', [ListChangedEvent]);

const RuleEvent = builder.interfaceRef<StoredEvent>('RuleEvent').implement({
  description: 'Match of a rule, or event that the rule emitted.',
  interfaces: [EventRef, builder.nodeInterfaceRef()],
  fields: (t) => ({
    ruleId: t.field({
      type: 'UUID',
      nullable: true,
      description: 'Id of the rule. Null if unknown.',
      resolve: (event, _args, { viewer }) => readText('ruleId')(shownFacts(viewer, event)),
    }),
    ruleName: t.string({
      nullable: true,
      description: 'Name of the rule at the time of the event. Null if unknown.',
      resolve: (event, _args, { viewer }) => readText('rule')(shownFacts(viewer, event)),
    }),
    ruleVersionNumber: t.int({
      nullable: true,
      description: 'Version of the rule that matched, from 1. Null if unknown.',
      resolve: (event, _args, { viewer }) => readInt('ruleVersion')(shownFacts(viewer, event)),
    }),
    rule: t.field({
      type: RuleNode,
      nullable: true,
      description: 'Current state of the rule. Null if it was deleted or the viewer may not read it.',
      complexity: 3,
      resolve: (event, _args, { viewer, loaders }) => {
        const ruleId = readText('ruleId')(shownFacts(viewer, event));
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
      readEach('actions')(shownFacts(viewer, event)) as ActionOutcome[] | null,
  }),
}));

const RuleCustomEvent = eventObject('rule.custom', [RuleEvent]);
builder.objectFields(RuleCustomEvent, (t) => ({
  eventName: t.string({
    nullable: true,
    description: 'Name of the event, from the emitEvent action. Null if unknown.',
    resolve: (event, _args, { viewer }) => readText('name')(shownFacts(viewer, event)),
  }),
}));
