import { toolOfGlobal } from '@vouchgraph/signals/automation-globals';
import type { Facts } from '../facts.ts';

const MAX_NAMES = 32;

/**
 * Names that automation tools leave on window, document or the root element. The list is the server's, so that
 * only names known to it are sent, and never a page's own names.
 */
export function automationFacts(): Facts {
  const places: Record<string, readonly string[]> = {
    window: Object.getOwnPropertyNames(window),
    document: Object.getOwnPropertyNames(document),
    html: document.documentElement.getAttributeNames(),
  };
  const found = Object.entries(places).flatMap(([place, names]) =>
    names.filter((name) => toolOfGlobal(name) !== null).map((name) => `${place}.${name}`),
  );
  return { checks: { automation_globals: found.slice(0, MAX_NAMES) } };
}
