import type { EventFacts } from '@vouchgraph/events/internals/catalogue/documented-data';
import type { EventType } from '@vouchgraph/events/internals/catalogue/event-type';
import { camelCase } from '@vouchgraph/platform/letter-case';

/** Objects whose keys are the same in documented data and in facts. */
const OPAQUE = ['metadata', 'contributions', 'actions'];
/** Top-level keys whose fact depends on the type of the event. */
const OF_TYPES = [
  { prefix: 'account.', key: 'email', fact: 'emailFacts' },
  { prefix: 'verification.', key: 'metadata', fact: 'eventMetadata' },
] as const;

/**
 * Facts of an event with this documented data: the inverse of `documentedData`, with no
 * evidence of a spoofed address, whose score documents leave out.
 */
export function factsOf(type: EventType, data: EventFacts): EventFacts {
  const renamed = OF_TYPES.find(({ prefix }) => type.startsWith(prefix));
  const entries = Object.entries(data).map(([key, value]) => [
    key === renamed?.key ? renamed.fact : key,
    value,
  ]);
  return factsIn(Object.fromEntries(entries)) as EventFacts;
}

function factsIn(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(factsIn);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => {
      const facts = OPAQUE.includes(key) ? each : factsIn(each);
      return key === 'risk_signal_scores' ? [nameOf(key), { ...facts, spoofedIp: 0 }] : [nameOf(key), facts];
    }),
  );
}

function nameOf(key: string): string {
  if (key === '1_day') return 'oneDay';
  return key === '7_day' ? 'sevenDay' : camelCase(key);
}
