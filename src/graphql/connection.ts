import { encodeCursor } from '../platform/cursor.ts';
import { invalidInput } from '../platform/errors.ts';
import { LIMITS } from '../platform/limits.ts';
import { betweenText } from '../platform/wording.ts';
import type { GraphQLContext } from './context.ts';

/** The page size that was asked for; 20 when none was. */
export function pageSize(
  first: number | null | undefined,
  context: GraphQLContext,
  max: number = LIMITS.pageSize,
): number {
  const size = first ?? 20;
  if (size < 1 || (size > max && !context.isTrustedDocument))
    throw invalidInput(`first: ${betweenText(1, max)}`, ['first']);
  return size;
}

/**
 * A page of a connection from up to one row more than asked for. Cursors are made only when they are read: each
 * costs a signature.
 */
export function toPage<Row, Node, Extra extends object>(
  rows: readonly Row[],
  size: number,
  page: {
    context: GraphQLContext;
    scope: string;
    hasPrevious: boolean;
    position: (row: Row) => readonly (string | number)[];
    edge: (row: Row) => { node: Node } & Extra;
  },
) {
  const { cipher } = page.context.viewer.project;
  const shown = rows.slice(0, size);
  const cursorOf = (row: Row) => encodeCursor(cipher, page.scope, page.position(row));
  const first = shown[0];
  const last = shown[shown.length - 1];
  return {
    edges: shown.map((row) => ({
      ...page.edge(row),
      get cursor() {
        return cursorOf(row);
      },
    })),
    pageInfo: {
      hasNextPage: rows.length > size,
      hasPreviousPage: page.hasPrevious,
      get startCursor() {
        return first === undefined ? null : cursorOf(first);
      },
      get endCursor() {
        return last === undefined ? null : cursorOf(last);
      },
    },
  };
}
