import { invalidInput } from '../../platform/errors.ts';
import { wholeText } from '../../platform/wording.ts';
import { readExclusion, readFlag } from './boolean-parameters.ts';
import type { QueryParameter, RouteRequest } from './route.ts';

/** The query of a request by the parameters of its row. Throws `input.invalid` for a boolean that is none. */
export function readQuery(
  parameters: Readonly<Record<string, QueryParameter>>,
  query: URLSearchParams,
): Pick<RouteRequest<unknown>, 'query' | 'flags'> {
  const flags: Record<string, boolean> = {};
  for (const [name, { type }] of Object.entries(parameters)) {
    if (type === 'boolean') flags[name] = readFlag(query, name);
    if (type === 'exclusion') flags[name] = readExclusion(query, name);
  }
  return { query: textsOf(query), flags };
}

/** A parameter that is repeated is one, its values separated by commas. */
function textsOf(query: URLSearchParams): Record<string, string> {
  return Object.fromEntries([...new Set(query.keys())].map((name) => [name, query.getAll(name).join(',')]));
}

const DEFAULT_PAGE = 100;

/** Number of entries of a page, 1 to `max`; 100 without `limit`. Throws `input.invalid`. */
export function pageLimit(text: string | undefined, max: number): number {
  if (!text) return DEFAULT_PAGE;
  const limit = /^\d{1,4}$/.test(text) ? Number(text) : 0;
  if (limit >= 1 && limit <= max) return limit;
  throw invalidInput(`limit: ${wholeText(1, max)}`);
}
