import { z } from 'zod';
import type { EventType } from '../../domain/events/event-type.ts';
import { OUTCOMES } from '../../domain/outcomes/outcome.ts';
import { REVIEW_DECISIONS } from '../../domain/verification/review/review.ts';
import { record } from './email-response-shapes.ts';
import { accountFields, facts, history, scores } from './response-shapes.ts';
import { component, count, decision, matchKinds, score, text, timestamp, uuid } from './response-values.ts';
import { sessionFields } from './session-response-shapes.ts';
import { documentParts, verificationParts } from './verification-response-shapes.ts';

/** Bodies of webhooks, for openapi.json and for the tests that hold real ones against them. */

const metadata = component('EventMetadata', {
  project_id: uuid,
  session_id: uuid.nullable(),
  request_id: uuid.nullable(),
  timestamp,
  account_id: text.nullable(),
  referring_session_id: uuid.nullable(),
});

const { request_id: _request, ...sessionFacts } = sessionFields;
const session = component('EventSession', sessionFacts);
const account = { account_id: text, account: accountFields, ...history, decision, ...scores, ...facts };
const ofAccount = { account_id: text.optional().describe('Absent where it concerns no account.') };
const linked = { account_id: text, linked_account_id: text };
const membership = component('ListChange', {
  account_id: text,
  list: text.describe('Name of the list.'),
  source: text.describe('api, system, or the rule that changed it.'),
  reason: text.optional().describe('Absent without one.'),
});
const rule = { account_id: text.nullable(), rule_id: uuid, rule: text, rule_version: count };
const accountOutcome = component('AccountOutcomeChange', {
  account_id: text,
  outcome_id: uuid,
  outcome: z.enum(OUTCOMES),
  at: timestamp.describe('Time of the outcome, as reported.'),
  actor: text.describe('Visible prefix of the key that reported or retracted it.'),
});
const ofVerification = { account_id: text.nullable(), referring_session_id: uuid.nullable() };
const action = z
  .object({ outcome: text })
  .loose()
  .meta({ id: 'RuleActionOutcome', description: 'The action as the rule has it, and its outcome.' });

type Described = { name: string; summary: string; data: z.ZodType };

/** What each type of event is called, means and contains. */
const EVENTS: Readonly<Record<EventType, Described>> = {
  'session.completed': {
    name: 'SessionCompleted',
    summary: 'Completion of a session',
    data: component('CompletedSessionEvent', { ...ofAccount, ...sessionFacts }),
  },
  'account.authenticated': {
    name: 'AccountAuthenticated',
    summary: 'Authentication of an account with a session',
    data: component('AuthenticatedAccountEvent', { session_id: uuid, ...account, session }),
  },
  'account.updated': {
    name: 'AccountUpdated',
    summary: 'Change of an account without a session',
    data: component('UpdatedAccountEvent', account),
  },
  'account.deleted': {
    name: 'AccountDeleted',
    summary: 'Erasure of an account',
    data: component('DeletedAccountEvent', { account_id: text }),
  },
  'account.linked': {
    name: 'AccountLinked',
    summary: 'Link between two accounts',
    data: component('LinkedAccountsEvent', { ...linked, score, match_types: matchKinds }),
  },
  'account.unlinked': {
    name: 'AccountUnlinked',
    summary: 'Removal of the link between two accounts',
    data: component('UnlinkedAccountsEvent', linked),
  },
  'account.outcome_reported': {
    name: 'AccountOutcomeReported',
    summary: 'Report of an outcome of an account',
    data: accountOutcome,
  },
  'account.outcome_retracted': {
    name: 'AccountOutcomeRetracted',
    summary: 'Retraction of a reported outcome of an account',
    data: accountOutcome,
  },
  'list.account_added': {
    name: 'ListAccountAdded',
    summary: 'Addition of an account to a list',
    data: membership,
  },
  'list.account_removed': {
    name: 'ListAccountRemoved',
    summary: 'Removal of an account from a list',
    data: membership,
  },
  'rule.triggered': {
    name: 'RuleTriggered',
    summary: 'Match of a rule',
    data: component('TriggeredRuleEvent', { ...rule, actions: z.array(action) }),
  },
  'rule.custom': {
    name: 'RuleCustom',
    summary: 'Event that a rule emits under a name of its own',
    data: component('CustomRuleEvent', { ...rule, name: text }),
  },
  'verification.id_check.completed': {
    name: 'IdCheckCompleted',
    summary: 'Completion of an ID check with a result',
    data: component('IdCheckEvent', { ...ofVerification, ...verificationParts, ...documentParts }),
  },
  'verification.face_check.completed': {
    name: 'FaceCheckCompleted',
    summary: 'Completion of a face check with a result',
    data: component('FaceCheckEvent', {
      ...ofVerification,
      ...verificationParts,
      photo_urls: documentParts.photo_urls,
      video_urls: documentParts.video_urls,
    }),
  },
  'verification.failed': {
    name: 'VerificationFailed',
    summary: 'End of a verification session without a result',
    data: component('FailedVerificationEvent', {
      ...ofVerification,
      metadata: verificationParts.metadata,
      kind: z.enum(['id', 'face']),
      error_message: text.describe('Value of simulate that has the same outcome.'),
    }),
  },
  'verification.reviewed': {
    name: 'VerificationReviewed',
    summary: 'Decision of a reviewer on a completed check, or its withdrawal',
    data: component('ReviewedVerificationEvent', {
      ...ofVerification,
      session_id: uuid,
      kind: z.enum(['id', 'face']),
      position: count.describe('Position among the reviews of the check, from 1.'),
      review_decision: z.enum(REVIEW_DECISIONS),
      reason: text.nullable(),
      actor: text.describe('Visible prefix of the key of the reviewer.'),
    }),
  },
  'email.intelligence.completed': {
    name: 'EmailCheckCompleted',
    summary: 'Completion of an email check',
    data: component('CompletedEmailCheckEvent', { ...ofAccount, ...record.shape }),
  },
  'email.batch.completed': {
    name: 'EmailBatchCompleted',
    summary: 'Completion of the last check of a batch',
    data: component('EmailBatchEvent', {
      batch_id: uuid,
      batch_name: text.nullable(),
      status: z.literal('completed'),
      total_count: count,
      completed_count: count,
      failed_count: count,
      import_id: uuid.nullable(),
      created_at: timestamp,
      completed_at: timestamp,
    }),
  },
  'identity_group.merged': {
    name: 'IdentityGroupMerged',
    summary: 'Merge of two identity groups',
    data: component('MergedGroupEvent', { identity_group_id: uuid, merged_group_id: uuid, accounts: count }),
  },
  'identity_group.split': {
    name: 'IdentityGroupSplit',
    summary: 'Split of an identity group',
    data: component('SplitGroupEvent', { identity_group_id: uuid, new_group_id: uuid, accounts: count }),
  },
  'webhook.endpoint_disabled': {
    name: 'WebhookEndpointDisabled',
    summary: 'Deactivation of a webhook endpoint that answered 410 or failed for five days',
    data: component('DisabledEndpointEvent', {
      endpoint_id: uuid,
      host: text,
      reason: text,
      failing_since: timestamp.nullable(),
    }),
  },
};

/** Each type of event with the body of its webhook. */
export const WEBHOOK_SHAPES = Object.entries(EVENTS).map(([type, { name, summary, data }]) => ({
  type: type as EventType,
  name,
  summary,
  body: component(`${name}Webhook`, {
    id: uuid.describe('Id of the event, the same in every delivery.'),
    type: z.literal(type),
    event_type: z.literal(type).describe('The same as type, for older receivers.'),
    format: count.optional().describe('Version of the body.'),
    created_at: timestamp,
    project_id: uuid,
    metadata,
    data,
  }),
}));
