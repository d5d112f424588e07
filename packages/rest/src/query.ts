import { invalidInput } from '@vouchgraph/platform/errors';
import { oneOfText, wholeText } from '@vouchgraph/platform/wording';
import { readExclusion, readFlag, withoutListSuffix } from './boolean-parameters.ts';
import type { DocumentRoute, RouteRequest } from './route.ts';

type ReadQuery = Pick<RouteRequest<unknown>, 'query' | 'flags' | 'unknownQuery'>;
type Parameters = Pick<DocumentRoute<unknown, unknown, unknown, never>, 'query' | 'rejectsUnknownQuery'>;

/**
 * The query of a request by the parameters of its row. Throws `input.invalid` for a boolean that is none, for a text that is
 * repeated, and for other parameters where the row rejects them.
 */
export function readQuery(
  { query: parameters, rejectsUnknownQuery }: Parameters,
  query: URLSearchParams,
): ReadQuery {
  const flags: Record<string, boolean> = {};
  const texts: Record<string, string> = {};
  for (const [name, { type }] of Object.entries(parameters)) {
    if (type === 'boolean') flags[name] = readFlag(query, name);
    else if (type === 'exclusion') flags[name] = readExclusion(query, name);
    else if (type === 'list') texts[name] = readList(query, name);
    else texts[name] = readText(query, name);
  }
  if (rejectsUnknownQuery) rejectUnknown(query, Object.keys(parameters));
  const unknownQuery = [...new Set(query.keys())].filter(
    (name) => !Object.hasOwn(parameters, withoutListSuffix(name)),
  );
  return { query: texts, flags, unknownQuery };
}

/** The text of a parameter; '' when it is absent. Throws `input.invalid` when it is repeated or written as a list. */
export function readText(query: URLSearchParams, name: string): string {
  const sent = [...query].filter(([given]) => withoutListSuffix(given) === name);
  if (sent.length > 1 || (sent.length === 1 && sent[0]![0] !== name))
    throw invalidInput(`${name}: must be sent once, as ${name}=VALUE`);
  return sent[0]?.[1] ?? '';
}

/** The members of a list, separated by commas: also of clients that repeat the name, or write `name[]` or `name[0]`. */
function readList(query: URLSearchParams, name: string): string {
  return [...query].flatMap(([given, value]) => (withoutListSuffix(given) === name ? value : [])).join(',');
}

/** Throws `input.invalid` for a parameter that is not one of `known`. */
export function rejectUnknown(query: URLSearchParams, known: readonly string[]): void {
  const unknown = [...query.keys()].find((name) => !known.includes(name));
  if (unknown === undefined) return;
  const accepted = known.length === 0 ? 'none is accepted here' : oneOfText(known);
  throw invalidInput(`Unknown query parameter ${JSON.stringify(unknown)}: ${accepted}`);
}

const DEFAULT_PAGE = 100;

/** Number of entries of a page, 1 to `max`; 100 without `limit`. Throws `input.invalid`. */
export function pageLimit(text: string | undefined, max: number): number {
  if (!text) return DEFAULT_PAGE;
  const limit = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (limit >= 1 && limit <= max) return limit;
  throw invalidInput(`limit: ${wholeText(1, max)}`);
}
