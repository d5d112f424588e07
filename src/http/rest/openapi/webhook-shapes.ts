import { MATCH_TYPES } from '@vouchgraph/linking';
import type { EventType } from '../../../domain/events/event-type.ts';
import { sampleBody } from '../../../domain/events/samples/event-samples.ts';
import { OUTCOMES } from '../../../domain/outcomes/outcome.ts';
import { REVIEW_DECISIONS } from '../../../domain/verification/review/review.ts';
import {
  arrayOf,
  component,
  constant,
  count,
  described,
  type JsonSchema,
  nullable,
  omit,
  openWords,
  optional,
  pick,
  score,
  text,
  timestamp,
  uuid,
  words,
} from '../engine/json-schema.ts';
import { EMAIL_RECORD } from '../routes/email-record-schema.ts';
import { answerOf } from './answer-schemas.ts';

/* Bodies of webhooks, for openapi.json and for the tests that hold real ones against them. */

const metadata = component('EventMetadata', {
  project_id: uuid,
  session_id: nullable(uuid),
  request_id: nullable(uuid),
  timestamp,
  account_id: nullable(text),
  referring_session_id: nullable(uuid),
});

/** Events contain what REST answers, without the keys of the request. */
const REQUEST_KEYS = ['request_id', 'project_id'];
const sessionFacts = {
  project_id: uuid,
  ...omit(answerOf('session.get'), ['account_ids', ...REQUEST_KEYS]),
};
const session = component('EventSession', sessionFacts);
/** Of an account, the keys that the events have. */
const { account_id: _, ...accountFacts } = JSON.parse(sampleBody('account.updated')).data;
const account = { account_id: text, ...pick(answerOf('account.get'), Object.keys(accountFacts)) };
const idCheck = answerOf('verification.verify_id');
const faceCheck = answerOf('verification.verify_face');

const ofAccount = { account_id: optional(described(text, 'Id of the account. Absent without an account.')) };
const linked = { account_id: text, linked_account_id: text };
const matchTypes = described(arrayOf(openWords(MATCH_TYPES)), 'Types of evidence of the link.');
const membership = component('ListChange', {
  account_id: text,
  list: described(text, 'Name of the list.'),
  source: described(text, 'Origin of the change: api, system, or the rule.'),
  reason: optional(described(text, 'Reason of the change. Absent without a reason.')),
});
const rule = { account_id: nullable(text), rule_id: uuid, rule: text, rule_version: count };
const accountOutcome = component('AccountOutcomeChange', {
  account_id: text,
  outcome_id: uuid,
  outcome: words(OUTCOMES),
  at: described(timestamp, 'Time of the outcome, as reported.'),
  actor: described(text, 'Visible prefix of the key that reported or retracted the outcome.'),
});
const ofVerification = { account_id: nullable(text), referring_session_id: nullable(uuid) };
const action: JsonSchema = {
  ...component('RuleActionOutcome', { outcome: text }),
  additionalProperties: {},
  description: 'Action of the rule, and its outcome.',
};

type Described = { name: string; summary: string; data: JsonSchema };

/** Name, meaning and data of each type of event. */
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
    data: component('LinkedAccountsEvent', { ...linked, score, match_types: matchTypes }),
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
    data: component('TriggeredRuleEvent', { ...rule, actions: arrayOf(action) }),
  },
  'rule.custom': {
    name: 'RuleCustom',
    summary: 'Event of the action emitEvent of a rule',
    data: component('CustomRuleEvent', { ...rule, name: text }),
  },
  'verification.id_check.completed': {
    name: 'IdCheckCompleted',
    summary: 'Completion of an ID check with a result',
    data: component('IdCheckEvent', { ...ofVerification, ...idCheck.properties }),
  },
  'verification.face_check.completed': {
    name: 'FaceCheckCompleted',
    summary: 'Completion of a face check with a result',
    data: component('FaceCheckEvent', {
      ...ofVerification,
      ...faceCheck.properties,
      // The released contract names the sides of a document, which a face check does not have.
      ...pick(idCheck, ['photo_urls']),
    }),
  },
  'verification.failed': {
    name: 'VerificationFailed',
    summary: 'End of a verification session without a result',
    data: component('FailedVerificationEvent', {
      ...ofVerification,
      ...pick(idCheck, ['metadata']),
      kind: words(['id', 'face']),
      error_message: described(text, 'Value of simulate for this outcome.'),
    }),
  },
  'verification.reviewed': {
    name: 'VerificationReviewed',
    summary: 'Decision of a reviewer on a completed check, or its withdrawal',
    data: component('ReviewedVerificationEvent', {
      ...ofVerification,
      session_id: uuid,
      kind: words(['id', 'face']),
      position: described(count, 'Position among the reviews of the check, from 1.'),
      review_decision: words(REVIEW_DECISIONS),
      reason: nullable(text),
      actor: described(text, 'Visible prefix of the key of the reviewer.'),
    }),
  },
  'email.intelligence.completed': {
    name: 'EmailCheckCompleted',
    summary: 'Completion of an email check',
    data: component('CompletedEmailCheckEvent', { ...ofAccount, ...EMAIL_RECORD.properties }),
  },
  'email.batch.completed': {
    name: 'EmailBatchCompleted',
    summary: 'Completion of the last check of a batch',
    data: component('EmailBatchEvent', {
      batch_id: uuid,
      batch_name: described(text, 'Name of the batch. Empty without a name.'),
      status: constant('completed'),
      total_count: count,
      completed_count: count,
      failed_count: count,
      import_id: nullable(uuid),
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
    summary: 'Deactivation of a webhook endpoint whose receiver answered 410 or failed for five days',
    data: component('DisabledEndpointEvent', {
      endpoint_id: uuid,
      host: text,
      reason: text,
      failing_since: nullable(timestamp),
    }),
  },
};

/** Body of `email.intelligence.completed` for endpoints with the format COMPAT. */
export const COMPAT_CHECK = {
  type: 'email.intelligence.completed' as const,
  summary: 'Completion of an email check, for endpoints with signatureFormat COMPAT',
  body: EMAIL_RECORD,
};

/** Each type of event with the body of its webhook. */
export const WEBHOOK_SHAPES = Object.entries(EVENTS).map(([type, { name, summary, data }]) => ({
  type: type as EventType,
  name,
  summary,
  body: component(`${name}Webhook`, {
    id: described(uuid, 'Id of the event, the same in every delivery.'),
    type: constant(type),
    event_type: described(constant(type), 'Value of type, for older receivers.'),
    format: optional(described(count, 'Version of the body.')),
    created_at: timestamp,
    project_id: uuid,
    metadata,
    data,
  }),
}));
