import { VERIFICATION_KINDS } from '@vouchgraph/decisions';
import {
  definitionOf,
  documentedName,
  EVENT_TYPES,
  type EventFact,
  type EventType,
  factsOfType,
  type ListedWords,
  type PlainKind,
  sampleBody,
  type TypeWithObjects,
} from '@vouchgraph/events';
import { MATCH_TYPES } from '@vouchgraph/linking';
import {
  arrayOf,
  boolean,
  component,
  constant,
  count,
  described,
  type JsonSchema,
  nullable,
  omit,
  openWords,
  optional,
  type Properties,
  pick,
  score,
  text,
  timestamp,
  uuid,
  words,
} from '@vouchgraph/rest';
import { OUTCOMES } from '../../../domain/outcomes/outcome.ts';
import { REVIEW_DECISIONS } from '../../../domain/verification/review/review.ts';
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

const PLAIN: Readonly<Record<PlainKind, JsonSchema>> = {
  ...{ text, uuid, boolean, count, score },
  time: timestamp,
};
const WORDS: Readonly<Record<ListedWords, readonly string[]>> = {
  MatchType: MATCH_TYPES,
  OutcomeType: OUTCOMES,
  VerificationKind: VERIFICATION_KINDS,
  VerificationReviewDecision: REVIEW_DECISIONS,
};

function valueSchema(fact: EventFact): JsonSchema {
  const { kind } = fact;
  if (kind === 'constant') return constant(fact.value);
  if (kind === 'word') return words(WORDS[fact.words]);
  if (kind === 'openWords') return arrayOf(openWords(WORDS[fact.words]));
  return kind === 'openWord' ? text : PLAIN[kind];
}

function factSchema(fact: EventFact): JsonSchema {
  const { description, webhook = description, presence } = fact;
  const value = webhook === null ? valueSchema(fact) : described(valueSchema(fact), webhook);
  if (presence === 'optional') return optional(value);
  return presence === 'nullable' ? nullable(value) : value;
}

/** The keys of the facts that the catalog declares for a type. */
function factsSchema(type: EventType): Properties {
  return Object.fromEntries(
    Object.entries(factsOfType(type)).map(([name, fact]) => [documentedName(name), factSchema(fact)]),
  );
}

const ofCheck = factsSchema('verification.id_check.completed');
const action: JsonSchema = {
  ...component('RuleActionOutcome', { outcome: text }),
  additionalProperties: {},
  description: 'Action of the rule, and its outcome.',
};

/** The data of types with objects. */
const WITH_OBJECTS: Readonly<Record<TypeWithObjects, Properties>> = {
  'session.completed': { ...factsSchema('session.completed'), ...sessionFacts },
  'account.authenticated': { session_id: uuid, ...account, session },
  'account.updated': account,
  'rule.triggered': { ...factsSchema('rule.triggered'), actions: arrayOf(action) },
  'verification.id_check.completed': { ...ofCheck, ...idCheck.properties },
  'verification.face_check.completed': {
    ...ofCheck,
    ...faceCheck.properties,
    // The released contract names the sides of a document, which a face check does not have.
    ...pick(idCheck, ['photo_urls']),
  },
  'verification.failed': {
    ...ofCheck,
    ...pick(idCheck, ['metadata']),
    ...factsSchema('verification.failed'),
  },
  'email.intelligence.completed': {
    ...factsSchema('email.intelligence.completed'),
    ...EMAIL_RECORD.properties,
  },
};

function dataOf(type: EventType): JsonSchema {
  const { name, component: componentName = `${name}Event` } = definitionOf(type);
  return component(componentName, isWithObjects(type) ? WITH_OBJECTS[type] : factsSchema(type));
}

const isWithObjects = (type: EventType): type is TypeWithObjects => definitionOf(type).hasObjects ?? false;

/** Body of `email.intelligence.completed` for endpoints with the format COMPAT. */
export const COMPAT_CHECK = {
  type: 'email.intelligence.completed' as const,
  summary: 'Completion of an email check, for endpoints with signatureFormat COMPAT',
  body: EMAIL_RECORD,
};

/** Each type of event with the body of its webhook, grouped by the first word of the type. */
export const WEBHOOK_SHAPES = Object.values(Object.groupBy(EVENT_TYPES, (type) => type.split('.')[0]!))
  .flatMap((types) => types ?? [])
  .map((type) => {
    const { name, description, summary = description.replace(/[.]$/, '') } = definitionOf(type);
    const body = component(`${name}Webhook`, {
      id: described(uuid, 'Id of the event, the same in every delivery.'),
      type: constant(type),
      event_type: described(constant(type), 'Value of type, for older receivers.'),
      format: optional(described(count, 'Version of the body.')),
      created_at: timestamp,
      project_id: uuid,
      metadata,
      data: dataOf(type),
    });
    return { type, name, summary, body };
  });
