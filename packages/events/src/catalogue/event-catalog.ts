import { type EventFactTable, fact, withoutDescription } from './event-fact.ts';
import { type TokenScope, VERIFICATION_SCOPES } from './token-scope.ts';

/*
 * The catalog of events. EventType, the object types and interfaces of GraphQL, the rights of browser tokens, the types of
 * emitted facts, webhooks in openapi.json and docs/events.md are made from it. README.md describes how to add a type.
 */

type InterfaceDefinition = {
  readonly description: string;
  /** Interfaces that it implements. They precede it. */
  readonly interfaces: readonly string[];
  /** Facts of all its types of events. */
  readonly facts: EventFactTable;
};

export type EventDefinition = {
  /** Name of the object type in GraphQL without its end Event, and of the webhook in openapi.json without its end Webhook. */
  readonly name: string;
  readonly description: string;
  /** Short description for openapi.json. By default `description`. */
  readonly summary?: string;
  /** Scopes of which a browser token needs one. None: the type requires a key. */
  readonly scopes: readonly TokenScope[];
  readonly interfaces: readonly EventInterface[];
  /** Facts that its interfaces do not have. */
  readonly facts: EventFactTable;
  /** Component of openapi.json with the data. By default the name of the object type in GraphQL. */
  readonly component?: string;
  /** The data has objects, such as a session: src/http/rest/openapi/webhook-shapes.ts contains their schema. */
  readonly hasObjects?: true;
};

const GONE_FOR_SESSIONS = 'Null for tokens limited to a session.';

const accountId = fact.text('Id of the account.', { field: null, webhook: null });
const ofAccount = { accountId };
const ofPossibleAccount = {
  accountId: fact.text('Id of the account. Absent without an account.', {
    field: null,
    presence: 'optional',
  }),
};
const ofAnyAccount = { accountId: { ...accountId, presence: 'nullable' } } as const;
const ofCheck = {
  ...ofAnyAccount,
  referringSessionId: fact.uuid('Id of the referring session.', {
    field: null,
    webhook: null,
    presence: 'nullable',
  }),
} as const;
/** Interfaces resolve the kind, which the type of some events determines. */
const kind = fact.word('VerificationKind', 'Kind of the check.', { field: null, webhook: null });

/** Interfaces of several types of events, by their name in GraphQL. */
export const EVENT_INTERFACES = {
  AccountChangedEvent: {
    description:
      'Change of an account, with a session (AccountAuthenticatedEvent) or without one (AccountUpdatedEvent).',
    interfaces: [],
    facts: ofAccount,
  },
  AccountLinkChangedEvent: {
    description:
      'Creation or removal of a link between two accounts. account is the account whose change caused the ' +
      'event. A token limited to the other account receives that account as account, and otherAccount is ' +
      'null.',
    interfaces: [],
    facts: {
      ...ofAccount,
      linkedAccountId: fact.text('Id of the other account.', { field: null, webhook: null }),
    },
  },
  AccountOutcomeChangedEvent: {
    description:
      'Report of an outcome of an account, or its retraction. Does not contain the note of the outcome.',
    interfaces: [],
    facts: {
      ...ofAccount,
      ...withoutDescription({
        outcomeId: fact.uuid('Id of the outcome.', { isKnown: true }),
        outcome: fact.word('OutcomeType', 'Outcome.', { isKnown: true }),
      }),
      at: fact.time('Time of the outcome, as reported. createdAt is the time of the report or retraction.', {
        isKnown: true,
        webhook: 'Time of the outcome, as reported.',
      }),
      actor: fact.text('Visible prefix of the key that reported or retracted the outcome.', {
        mask: 'none',
        isKnown: true,
      }),
    },
  },
  ListChangedEvent: {
    description: 'Addition of an account to a list, or its removal.',
    interfaces: [],
    facts: {
      ...ofAccount,
      list: fact.text('Name of the list at the time of the event.', {
        field: 'listName',
        mask: 'none',
        webhook: 'Name of the list.',
      }),
      source: fact.openWord('ListChangeSource', 'Origin of the change.', {
        field: 'changeSource',
        webhook: 'Origin of the change: api, system, or the rule.',
      }),
      reason: fact.text(
        'Reason of the change: the reason in the request, the name of the rule, expired, list_deleted or ' +
          'other_standard_list.',
        {
          nulls: 'Null without a reason.',
          mask: 'text',
          webhook: 'Reason of the change. Absent without a reason.',
          presence: 'optional',
        },
      ),
    },
  },
  RuleEvent: {
    description: 'Match of a rule, or event that the rule emitted.',
    interfaces: [],
    facts: {
      ...ofAnyAccount,
      ...withoutDescription({
        ruleId: fact.uuid('Id of the rule.'),
        rule: fact.text('Name of the rule at the time of the event.', { field: 'ruleName', mask: 'none' }),
        ruleVersion: fact.count('Version of the rule that matched, from 1.', {
          field: 'ruleVersionNumber',
        }),
      }),
    },
  },
  VerificationEndedEvent: {
    description: 'End of a verification session, with a result (VerificationCompletedEvent) or without one.',
    interfaces: [],
    facts: ofCheck,
  },
  VerificationCompletedEvent: {
    description: 'Completion of a check with a result.',
    interfaces: ['VerificationEndedEvent'],
    facts: {},
  },
} as const satisfies Record<string, InterfaceDefinition>;

export type EventInterface = keyof typeof EVENT_INTERFACES;

/** Every type of event, in the order of lists and documents. */
export const EVENTS = {
  'session.completed': {
    name: 'SessionCompleted',
    description: 'Completion of a session: all its facts are stored.',
    summary: 'Completion of a session',
    scopes: ['ACCOUNT'],
    interfaces: [],
    facts: ofPossibleAccount,
    component: 'CompletedSessionEvent',
    hasObjects: true,
  },
  'account.authenticated': {
    name: 'AccountAuthenticated',
    description: 'Authentication of an account with a session.',
    scopes: ['ACCOUNT'],
    interfaces: ['AccountChangedEvent'],
    facts: { sessionId: fact.uuid('Id of the session.', { field: null, webhook: null }) },
    component: 'AuthenticatedAccountEvent',
    hasObjects: true,
  },
  'account.updated': {
    name: 'AccountUpdated',
    description: 'Change of an account without a session.',
    scopes: ['ACCOUNT'],
    interfaces: ['AccountChangedEvent'],
    facts: {},
    component: 'UpdatedAccountEvent',
    hasObjects: true,
  },
  'account.deleted': {
    name: 'AccountDeleted',
    description: 'Erasure of an account with all its data.',
    summary: 'Erasure of an account',
    scopes: ['ACCOUNT'],
    interfaces: [],
    facts: ofAccount,
    component: 'DeletedAccountEvent',
  },
  'account.linked': {
    name: 'AccountLinked',
    description: 'Link between two accounts. One event for both accounts.',
    summary: 'Link between two accounts',
    scopes: ['LINKS'],
    interfaces: ['AccountLinkChangedEvent'],
    facts: {
      score: fact.score('Score of the link at its creation, 0 to 1.', {
        nulls: `Null if unknown. ${GONE_FOR_SESSIONS}`,
        webhook: null,
      }),
      matchTypes: fact.openWords(
        'MatchType',
        'Types of evidence that both accounts shared at the creation of the link.',
        { nulls: `Null if unknown. ${GONE_FOR_SESSIONS}`, webhook: 'Types of evidence of the link.' },
      ),
    },
    component: 'LinkedAccountsEvent',
  },
  'account.unlinked': {
    name: 'AccountUnlinked',
    description: 'Removal of the link between two accounts. One event for both accounts.',
    summary: 'Removal of the link between two accounts',
    scopes: ['LINKS'],
    interfaces: ['AccountLinkChangedEvent'],
    facts: {},
    component: 'UnlinkedAccountsEvent',
  },
  'account.outcome_reported': {
    name: 'AccountOutcomeReported',
    description: 'Report of an outcome of an account.',
    scopes: [],
    interfaces: ['AccountOutcomeChangedEvent'],
    facts: {},
    component: 'AccountOutcomeChange',
  },
  'account.outcome_retracted': {
    name: 'AccountOutcomeRetracted',
    description: 'Retraction of a reported outcome of an account.',
    scopes: [],
    interfaces: ['AccountOutcomeChangedEvent'],
    facts: {},
    component: 'AccountOutcomeChange',
  },
  'list.account_added': {
    name: 'ListAccountAdded',
    description: 'Addition of an account to a list.',
    scopes: [],
    interfaces: ['ListChangedEvent'],
    facts: {},
    component: 'ListChange',
  },
  'list.account_removed': {
    name: 'ListAccountRemoved',
    description: 'Removal of an account from a list.',
    scopes: [],
    interfaces: ['ListChangedEvent'],
    facts: {},
    component: 'ListChange',
  },
  'rule.triggered': {
    name: 'RuleTriggered',
    description: 'Match of a rule.',
    scopes: [],
    interfaces: ['RuleEvent'],
    facts: {},
    component: 'TriggeredRuleEvent',
    hasObjects: true,
  },
  'verification.id_check.completed': {
    name: 'IdCheckCompleted',
    description: 'Completion of an ID check with a result.',
    scopes: VERIFICATION_SCOPES,
    interfaces: ['VerificationCompletedEvent', 'VerificationEndedEvent'],
    facts: {},
    component: 'IdCheckEvent',
    hasObjects: true,
  },
  'verification.face_check.completed': {
    name: 'FaceCheckCompleted',
    description: 'Completion of a face check with a result.',
    scopes: VERIFICATION_SCOPES,
    interfaces: ['VerificationCompletedEvent', 'VerificationEndedEvent'],
    facts: {},
    component: 'FaceCheckEvent',
    hasObjects: true,
  },
  'verification.failed': {
    name: 'VerificationFailed',
    description: 'End of a verification session without a result.',
    scopes: VERIFICATION_SCOPES,
    interfaces: ['VerificationEndedEvent'],
    facts: {
      kind,
      errorMessage: fact.openWord('VerificationFailure', 'Reason.', {
        field: 'failure',
        tokenScopes: ['VERIFICATION_STATE'],
        webhook: 'Value of simulate for this outcome.',
      }),
    },
    component: 'FailedVerificationEvent',
    hasObjects: true,
  },
  'verification.reviewed': {
    name: 'VerificationReviewed',
    description: 'Decision of a reviewer on a completed check, or its withdrawal.',
    scopes: [],
    interfaces: [],
    facts: {
      ...ofCheck,
      sessionId: fact.uuid('Id of the verification session.', { field: null, webhook: null }),
      kind,
      position: fact.count('Position among the reviews of the check, from 1.', { isKnown: true }),
      reviewDecision: fact.word('VerificationReviewDecision', 'Decision of the reviewer.', {
        isKnown: true,
        webhook: null,
      }),
      reason: fact.text('Reason from the reviewer.', {
        mask: 'text',
        nulls: 'Null if none.',
        webhook: null,
        presence: 'nullable',
      }),
      actor: fact.text('Author: the visible prefix of a key.', {
        mask: 'none',
        isKnown: true,
        webhook: 'Visible prefix of the key of the reviewer.',
      }),
    },
    component: 'ReviewedVerificationEvent',
  },
  'email.intelligence.completed': {
    name: 'EmailCheckCompleted',
    description: 'Completion of an email check.',
    scopes: [],
    interfaces: [],
    facts: ofPossibleAccount,
    component: 'CompletedEmailCheckEvent',
    hasObjects: true,
  },
  'email.batch.completed': {
    name: 'EmailBatchCompleted',
    description: 'Completion of the last check of a batch of email checks.',
    summary: 'Completion of the last check of a batch',
    scopes: [],
    interfaces: [],
    facts: {
      ...withoutDescription({ batchId: fact.uuid('Id of the batch.') }),
      batchName: fact.text('Name of the batch. Empty without a name.', { field: null }),
      status: fact.constant('completed'),
      ...withoutDescription({
        totalCount: fact.count('Number of checks.'),
        completedCount: fact.count('Number of completed checks, including those without a result.'),
        failedCount: fact.count('Number of checks without a result.'),
        importId: fact.uuid('Id of the import of the batch.', { field: null, presence: 'nullable' }),
        createdAt: fact.time('Creation time of the batch.', { field: null }),
        completedAt: fact.time('Completion time of the batch.', { field: null }),
      }),
    },
    component: 'EmailBatchEvent',
  },
  'identity_group.merged': {
    name: 'IdentityGroupMerged',
    description: 'Merge of two identity groups.',
    scopes: [],
    interfaces: [],
    facts: withoutDescription({
      identityGroupId: fact.uuid('Id of the group that remains.', { field: 'groupId' }),
      mergedGroupId: fact.uuid('Id of the group that was merged into the remaining group.'),
      accounts: fact.count('Number of accounts after the merge, at least 2.', { field: 'size' }),
    }),
    component: 'MergedGroupEvent',
  },
  'identity_group.split': {
    name: 'IdentityGroupSplit',
    description: 'Split of an identity group.',
    scopes: [],
    interfaces: [],
    facts: withoutDescription({
      identityGroupId: fact.uuid('Id of the group that was split.', { field: 'groupId' }),
      newGroupId: fact.uuid('Id of the group that was split off.'),
      accounts: fact.count('Number of accounts of the new group, at least 2.', { field: 'size' }),
    }),
    component: 'SplitGroupEvent',
  },
  'webhook.endpoint_disabled': {
    name: 'WebhookEndpointDisabled',
    description: 'Deactivation of a webhook endpoint whose receiver answered 410 or failed for five days.',
    scopes: [],
    interfaces: [],
    facts: withoutDescription({
      endpointId: fact.uuid('Id of the endpoint.'),
      host: fact.text('Host of the URL at the time of the event.', { mask: 'none' }),
      reason: fact.openWord('WebhookDisabledReason', 'Reason.', { field: 'disabledReason' }),
      failingSince: fact.time('Time since which all attempts failed.', {
        nulls: 'Null if the attempt before the 410 succeeded.',
        presence: 'nullable',
      }),
    }),
    component: 'DisabledEndpointEvent',
  },
  'rule.custom': {
    name: 'RuleCustom',
    description: 'Event of the action emitEvent of a rule, under the name from the rule.',
    summary: 'Event of the action emitEvent of a rule',
    scopes: [],
    interfaces: ['RuleEvent'],
    facts: withoutDescription({
      name: fact.text('Name of the event, from the emitEvent action.', { field: 'eventName', mask: 'none' }),
    }),
    component: 'CustomRuleEvent',
  },
} as const satisfies Record<string, EventDefinition>;
