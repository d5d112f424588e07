import { camelCase, snakeCase } from '../../platform/letter-case.ts';
import type { EventType } from './event-type.ts';

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

/** Facts under their documented names, in the same order. */
export function documentedData(facts: EventFacts): Record<string, unknown> {
  return renameKeys(facts, documentedName);
}

/** Documented data of an event under the names of the domain; the inverse of `documentedData`. */
export function factsOfDocumented(type: EventType, data: EventFacts): Record<string, unknown> {
  const [, name] = NAMES_BY_TYPE.find(([prefix]) => type.startsWith(prefix)) ?? [];
  if (name === undefined) return renameKeys(data, domainName);
  const word = WORDS[name];
  const entries = Object.entries(data).map(([key, value]) => [key === word ? name : key, value]);
  return renameKeys(Object.fromEntries(entries), domainName);
}

/** Meaning of a top-level key by the type of the event. Elsewhere the key is an ordinary name. */
const NAMES_BY_TYPE = [
  ['account.', 'emailFacts'],
  ['verification.', 'eventMetadata'],
] as const;

type Rename = (name: string) => string;

/** Computes each name once: facts have a closed set of names. */
function remember(compute: Rename, known: readonly (readonly [string, string])[]): Rename {
  const names = new Map(known);
  return (name) => {
    let renamed = names.get(name);
    if (renamed === undefined) {
      renamed = compute(name);
      names.set(name, renamed);
    }
    return renamed;
  };
}

const documentedName = remember(snakeCase, Object.entries(WORDS));

const domainName = remember(camelCase, [
  [WORDS.oneDay, 'oneDay'],
  [WORDS.sevenDay, 'sevenDay'],
]);

/** A loop, which is faster than Object.fromEntries: every body and every event of format 1 passes here. */
function renameKeys(facts: EventFacts, rename: Rename): Record<string, unknown> {
  const renamed: Record<string, unknown> = {};
  for (const name of Object.keys(facts)) {
    const value = facts[name];
    const isOpaque = typeof value !== 'object' || value === null || OPAQUE.has(name);
    renamed[rename(name)] = isOpaque ? value : renameIn(value, rename);
  }
  return renamed;
}

function renameIn(value: unknown, rename: Rename): unknown {
  if (Array.isArray(value)) return value.map((each) => renameIn(each, rename));
  return typeof value === 'object' && value !== null ? renameKeys(value as EventFacts, rename) : value;
}
