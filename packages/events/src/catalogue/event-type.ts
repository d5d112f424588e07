import type { EventFacts } from './documented-data.ts';
import { EVENT_INTERFACES, EVENTS, type EventDefinition, type EventInterface } from './event-catalog.ts';
import type { EventFactTable, ValuesOf } from './event-fact.ts';

/* What follows from the catalog of events. */

type Events = typeof EVENTS;
export type EventType = keyof Events;
export const EVENT_TYPES = Object.keys(EVENTS) as EventType[];

/** The definition of a type. */
export function definitionOf(type: EventType): EventDefinition {
  return EVENTS[type];
}

/** Types whose data has objects. */
export type TypeWithObjects = {
  [Type in EventType]: Events[Type] extends { hasObjects: true } ? Type : never;
}[EventType];

/** All facts of a type that the catalog declares, those of its interfaces first. */
export function factsOfType(type: EventType): EventFactTable {
  const { interfaces, facts } = definitionOf(type);
  const inherited = interfaces.map((name): EventFactTable => EVENT_INTERFACES[name].facts);
  return Object.assign({}, ...inherited, facts) as EventFactTable;
}

type InterfaceFacts<Name extends EventInterface> = {
  [Each in Name]: (value: ValuesOf<(typeof EVENT_INTERFACES)[Each]['facts']>) => void;
}[Name] extends (value: infer Facts) => void
  ? Facts
  : never;

/** The facts that an event of a type is emitted with. */
export type FactsOf<Type extends EventType> = Type extends EventType
  ? InterfaceFacts<Events[Type]['interfaces'][number]> &
      ValuesOf<Events[Type]['facts']> &
      (Type extends TypeWithObjects ? EventFacts : unknown)
  : never;
