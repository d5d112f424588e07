export { DOCUMENTED_FORMAT, documentedData, documentedName } from './catalogue/documented-data.ts';
export { EVENT_INTERFACES, type EventInterface } from './catalogue/event-catalog.ts';
export type { EventFact, EventFactTable, ListedWords, PlainKind, WordSet } from './catalogue/event-fact.ts';
export {
  definitionOf,
  EVENT_TYPES,
  type EventType,
  type FactsOf,
  factsOfType,
  type TypeWithObjects,
} from './catalogue/event-type.ts';
export {
  ALL_TOKEN_SCOPES,
  scopesText,
  TOKEN_SCOPES,
  type TokenScope,
  VERIFICATION_SCOPES,
} from './catalogue/token-scope.ts';
export { type EventRow, type StoredEvent, type StoredRow, toPublicEvent, toStoredEvents } from './event.ts';
export {
  type DocumentedEvent,
  documentedBody,
  ENVELOPE_FORMAT,
  eventBody,
  PAYLOAD_FORMATS,
} from './event-body.ts';
export { sampleBody, sampleEvent } from './event-samples.ts';
export {
  ACCOUNT_ID_SCOPES,
  checkKindOf,
  type EventSelection,
  fromOwnSide,
  scopesOfType,
  selectFor,
  selects,
  shownAccountId,
  shownFacts,
  shownLinkedAccountId,
} from './event-selection.ts';
export { type OutboxEvent, outboxEvent } from './outbox-event.ts';
