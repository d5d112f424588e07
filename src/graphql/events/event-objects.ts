import type { OutputRef } from '@pothos/core';
import {
  definitionOf,
  EVENT_INTERFACES,
  EVENT_TYPES,
  type EventFact,
  type EventFactTable,
  type EventInterface,
  type EventType,
  fromOwnSide,
  type PlainKind,
  type StoredEvent,
  type WordSet,
} from '@vouchgraph/events';
import type { RevealSubject } from '../../domain/reveals/active-reveals.ts';
import { OutcomeType } from '../decisions/outcome.ts';
import { builder } from '../kernel/builder.ts';
import * as fields from '../kernel/fact-fields.ts';
import { VerificationFailureType, VerificationKindType } from '../kernel/verification-enums.ts';
import { WebhookDisabledReason } from '../kernel/webhook-enums.ts';
import { MatchTypeEnum } from '../links/link-evidence.ts';
import { VerificationReviewDecision } from '../verification/verification-review.ts';
import { EventRef } from './event.ts';
import { objectNameOf } from './event-type.ts';

/*
 * An object type for each type of event, and the interfaces of several types, with fields for the facts of the catalog. Other
 * files of this folder add fields for objects: snapshots, and current states.
 */

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

const ENUMS: Readonly<Record<WordSet, OutputRef<string>>> = {
  ListChangeSource,
  MatchType: MatchTypeEnum,
  OutcomeType,
  VerificationFailure: VerificationFailureType,
  VerificationKind: VerificationKindType,
  VerificationReviewDecision,
  WebhookDisabledReason,
};

type Field = ReturnType<typeof fields.text>;
type FieldOptions = Parameters<typeof fields.text>[1];

const PLAIN: Readonly<Record<PlainKind, typeof fields.text>> = {
  text: fields.text,
  uuid: fields.uuid,
  time: fields.time,
  boolean: fields.boolean,
  count: fields.int,
  score: fields.number,
};

function fieldOf(fact: EventFact, options: FieldOptions): Field {
  const { kind, description } = fact;
  if (kind === 'constant') return fields.text(description, options);
  if (kind === 'openWords') return fields.words(ENUMS[fact.words], description, options);
  if (kind === 'word' || kind === 'openWord') return fields.word(ENUMS[fact.words], description, options);
  return PLAIN[kind](description, options);
}

/** The fields of facts, by name. */
function fieldsOf(facts: EventFactTable): Record<string, Field> {
  const shown = Object.entries(facts).filter(([, { field }]) => field !== null);
  return Object.fromEntries(
    shown.map(([from, fact]) => {
      const { field, nulls, isKnown, tokenScopes, mask } = fact;
      const made = fieldOf(fact, { from, tokenScopes, mask, ...(nulls !== undefined && { nulls }) });
      return [field ?? from, isKnown ? fields.alwaysKnown(made) : made];
    }),
  );
}

type InterfaceType = typeof EventRef;
type ObjectType = ReturnType<typeof builder.objectRef<StoredEvent>>;

const interfaceTypes = new Map<string, InterfaceType>();
for (const [name, { description, interfaces, facts }] of Object.entries(EVENT_INTERFACES)) {
  const ref = builder.interfaceRef<StoredEvent>(name).implement({
    description,
    interfaces: [EventRef, builder.nodeInterfaceRef(), ...interfaces.map(interfaceType)],
    fields: (t) => fields.eventFacts(t, fieldsOf(facts)),
  });
  interfaceTypes.set(name, ref);
}

/** The interface with a name. Files of this folder add fields with `builder.interfaceFields`. */
export function interfaceType(name: EventInterface): InterfaceType {
  return interfaceTypes.get(name)!;
}

function isEventOf(type: EventType, value: unknown): boolean {
  const { type: found, position } = value as Partial<StoredEvent>;
  return found === type && position !== undefined;
}

/**
 * An event of an account contains data of the account, also if it names a session. Events of email checks contain data of
 * addresses, which no reveal of an account includes.
 */
function revealSubjectOf({ type, account, sessionId, facts }: StoredEvent): RevealSubject {
  if (type === 'email.intelligence.completed') return { emailCheck: String(facts.requestId) };
  if (type.startsWith('email.')) return {};
  if (type.startsWith('verification.')) return { account, verification: sessionId };
  return { account, session: type === 'session.completed' ? sessionId : null };
}

const objectTypes = new Map<EventType, ObjectType>();
for (const type of EVENT_TYPES) {
  const { description, interfaces, facts } = definitionOf(type);
  const ref = builder.objectRef<StoredEvent>(objectNameOf(type));
  builder.node(ref, {
    tokenScopes: ['EVENTS'],
    subjects: 'wide',
    revealedBy: revealSubjectOf,
    description,
    interfaces: [EventRef, ...interfaces.map(interfaceType)],
    isTypeOf: (value) => isEventOf(type, value),
    id: { resolve: (event) => event.id, description: 'Global id.' },
    loadMany: async (ids, { viewer, services }) => {
      const events = await services.events.findMany(viewer, ids);
      return events.map((event) => (event?.type === type ? fromOwnSide(viewer, event) : null));
    },
    fields: (t) => fields.eventFacts(t, fieldsOf(facts)),
  });
  objectTypes.set(type, ref);
}

/** The object type of an event type. Files of this folder add fields with `builder.objectFields`. */
export function objectType(type: EventType): ObjectType {
  return objectTypes.get(type)!;
}
