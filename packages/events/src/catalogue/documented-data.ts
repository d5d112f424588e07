import { snakeCase } from '@vouchgraph/platform/letter-case';

/*
 * The documented names of the facts of events. Events have the names of the domain (camelCase). Webhooks, the field `data`
 * of GraphQL and exports of accounts have the documented ones: the same in snake case, except for a few words.
 */

/** Version of documented data, as events show it. */
export const DOCUMENTED_FORMAT = 1;

export type EventFacts = Readonly<Record<string, unknown>>;

/** Names with a documented word of their own. */
const WORDS = { oneDay: '1_day', sevenDay: '7_day', emailFacts: 'email', eventMetadata: 'metadata' } as const;

/** Objects whose keys are client data or documented words: the keys are kept. */
const OPAQUE: ReadonlySet<string> = new Set(['metadata', 'contributions', 'actions']);

/** Facts without a documented name, by the object that contains them: a spoofed address is a raised signal only. */
const LEFT_OUT: ReadonlyMap<string, string> = new Map([['riskSignalScores', 'spoofedIp']]);

/** Documented names that were computed: facts have a closed set of names. */
const documentedNames = new Map<string, string>(Object.entries(WORDS));

/** The documented name of a fact. */
export function documentedName(name: string): string {
  let documented = documentedNames.get(name);
  if (documented === undefined) {
    documented = snakeCase(name);
    documentedNames.set(name, documented);
  }
  return documented;
}

/** Facts but `leftOut` under their documented names, in the same order. A loop, which is faster than Object.fromEntries. */
export function documentedData(facts: EventFacts, leftOut?: string): Record<string, unknown> {
  const documented: Record<string, unknown> = {};
  for (const name of Object.keys(facts)) {
    if (name === leftOut) continue;
    const value = facts[name];
    const isOpaque = typeof value !== 'object' || value === null || OPAQUE.has(name);
    documented[documentedName(name)] = isOpaque ? value : documentedValue(value, LEFT_OUT.get(name));
  }
  return documented;
}

function documentedValue(value: unknown, leftOut?: string): unknown {
  if (Array.isArray(value)) return value.map((each) => documentedValue(each));
  return typeof value === 'object' && value !== null ? documentedData(value as EventFacts, leftOut) : value;
}
