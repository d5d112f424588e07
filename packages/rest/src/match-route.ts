import { methodNotAllowed } from '@vouchgraph/platform/http';
import type { DocumentRoute } from './route.ts';

type Matchable = Pick<
  DocumentRoute<unknown, unknown, unknown, never>,
  'method' | 'path' | 'requiresBody' | 'creates'
>;

export type Matched<Route> = {
  route: Route;
  params: Record<string, string>;
  /** The row for a request without a body, if this one is only for requests with a body. */
  withoutBody: Matched<Route> | null;
};

/**
 * Returns a function that finds the row for a method and path: null for an unknown path; throws 405 when only the method is
 * wrong. A slash at the end is part of the path: URL libraries remove dot segments, so that `/list/x/account/..` arrives as
 * `/list/x/`.
 */
export function routeMatcher<Route extends Matchable>(
  routes: readonly Route[],
): (method: string, path: string) => Matched<Route> | null {
  const patterns = routes.map((route) => ({ route, segments: segmentsOf(route.path) }));
  return (method, path) => {
    const segments = segmentsOf(path);
    const allowed = new Set<string>();
    let matched: Matched<Route> | null = null;
    for (const pattern of patterns) {
      const params = matchSegments(pattern.segments, segments);
      if (!params) continue;
      const { route } = pattern;
      // The body of an answer to HEAD is left out where it is sent.
      if (route.method === method || (method === 'HEAD' && isReading(route))) {
        if (matched) return { ...matched, withoutBody: { route, params, withoutBody: null } };
        matched = { route, params, withoutBody: null };
        if (!route.requiresBody) return matched;
      }
      allowed.add(route.method);
      if (isReading(route)) allowed.add('HEAD');
    }
    if (matched) return matched;
    if (allowed.size === 0) return null;
    throw methodNotAllowed([...allowed, 'OPTIONS'].sort());
  };
}

const segmentsOf = (path: string): string[] => path.split('/').slice(1);

function isReading({ method, creates }: Matchable): boolean {
  return method === 'GET' && creates !== true;
}

function matchSegments(
  pattern: readonly string[],
  segments: readonly string[],
): Record<string, string> | null {
  if (pattern.length !== segments.length) return null;
  const params: Record<string, string> = {};
  for (const [index, expected] of pattern.entries()) {
    const segment = segments[index]!;
    if (!expected.startsWith('{')) {
      if (expected !== segment) return null;
    } else {
      const value = decode(segment);
      if (value === null || value === '') return null;
      params[expected.slice(1, -1)] = value;
    }
  }
  return params;
}

function decode(segment: string): string | null {
  try {
    return decodeURIComponent(segment);
  } catch {
    return null;
  }
}
