import { decodeCursor, encodeCursor, OF_SAME_ARGUMENTS } from '@vouchgraph/platform/cursor';
import { invalidInput } from '@vouchgraph/platform/errors';
import type { KeysetPage, KeysetPosition } from '@vouchgraph/platform/keyset';
import { LIMITS } from '@vouchgraph/platform/limits';
import { betweenText } from '@vouchgraph/platform/wording';
import { builder, type Counted } from './builder.ts';
import type { GraphQLContext } from './context.ts';

const DEFAULT_PAGE_SIZE = 20;

/** Objects are counted up to this number. */
export const MAX_COUNTED = LIMITS.countedObjects;

/** Arguments of every connection. Those of other connections are added to these. */
export const PAGE_ARGS = builder.args((t) => ({
  first: t.int({
    defaultValue: DEFAULT_PAGE_SIZE,
    description:
      `Number of objects from the start, or after a cursor, at most ${LIMITS.pageSize}. ` +
      `${DEFAULT_PAGE_SIZE} by default. 0: an empty page with pageInfo and totalCount. Ignored with last.`,
  }),
  after: t.string({ description: 'Cursor after which the page starts.' }),
  last: t.int({
    description: `Number of objects from the end, or before a cursor, at most ${LIMITS.pageSize}.`,
  }),
  before: t.string({ description: 'Cursor before which the page ends.' }),
}));

export type PageArgs = {
  first?: number | null;
  after?: string | null;
  last?: number | null;
  before?: string | null;
};

/** Page selected by a client: rows to read, and number of objects to return. */
export type SelectedPage = KeysetPage & {
  /** Number of objects to return. `limit` is one more, to determine whether another page exists. */
  readonly size: number;
  /** Context to which cursors of the connection are bound: field, parent, filter and order. */
  readonly scope: string;
};

/** The cost of a connection: that of its statement, and that of each object. */
export function pageCost(field: number) {
  return ({ first, last }: PageArgs) => ({ field, multiplier: last ?? first ?? DEFAULT_PAGE_SIZE });
}

/**
 * The page that the arguments of a connection select.
 * @param scope context of the cursors: a cursor of another connection, parent, filter or order is rejected.
 * @throws input.invalid when a size is out of range, or a cursor is not one of this connection.
 */
export function selectPage(
  args: PageArgs,
  scope: readonly unknown[],
  context: GraphQLContext,
  max: number = LIMITS.pageSize,
): SelectedPage {
  const isBackward = args.last != null;
  const size = isBackward ? sizeOf('last', args.last!, max, context) : pageSize(args.first, context, max);
  const bound = JSON.stringify(scope);
  const { cipher } = context.viewer.project;
  const positionOf = (name: 'after' | 'before') => {
    const cursor = args[name];
    if (cursor == null) return null;
    return decodeCursor(cipher, bound, cursor, name, OF_SAME_ARGUMENTS) as KeysetPosition;
  };
  return {
    after: positionOf('after'),
    before: positionOf('before'),
    isBackward,
    size,
    limit: size + 1,
    scope: bound,
  };
}

/** The part of a selected page that a statement needs: the same for several parents, whose scopes differ. */
export function rangeOf({ after, before, isBackward, limit }: SelectedPage): KeysetPage {
  return { after, before, isBackward, limit };
}

function sizeOf(name: 'first' | 'last', size: number, max: number, context: GraphQLContext): number {
  if (size < 0 || (size > max && !context.isTrustedDocument))
    throw invalidInput(`${name}: ${betweenText(0, max)}`, [name]);
  return size;
}

/** The page size that `first` selects; 20 by default. */
export function pageSize(
  first: number | null | undefined,
  context: GraphQLContext,
  max: number = LIMITS.pageSize,
): number {
  return sizeOf('first', first ?? DEFAULT_PAGE_SIZE, max, context);
}

/**
 * A connection from the rows of a selected page, in the order in which they were read. Cursors are made only when they
 * are read: each costs a signature.
 */
export function toConnection<Row, Node, Extra extends object>(
  rows: readonly Row[],
  page: SelectedPage,
  {
    context,
    position,
    edge,
    total,
    readTo = null,
  }: {
    context: GraphQLContext;
    /** The values of the order's columns, the last of them unique. */
    position: (row: Row) => KeysetPosition;
    edge: (row: Row) => { node: Node } & Extra;
    /** Counts the objects, of which MAX_COUNTED + 1 are enough; called when totalCount is selected. */
    total: () => Promise<Counted>;
    /** Position up to which rows were read, when a page ends before it is full; null: it is full, or the last one. */
    readTo?: KeysetPosition | null;
  },
) {
  const { cipher } = context.viewer.project;
  const shown = rows.slice(0, page.size);
  if (page.isBackward) shown.reverse();
  const hasMore = readTo !== null || rows.length > page.size;
  const cursorOf = (row: Row) => encodeCursor(cipher, page.scope, position(row));
  const first = shown[0];
  const last = shown[shown.length - 1];
  return {
    total,
    edges: shown.map((row) => ({
      ...edge(row),
      get cursor() {
        return cursorOf(row);
      },
    })),
    pageInfo: {
      hasNextPage: page.isBackward ? page.before !== null : hasMore,
      hasPreviousPage: page.isBackward ? hasMore : page.after !== null,
      get startCursor() {
        if (page.isBackward && readTo) return encodeCursor(cipher, page.scope, readTo);
        return first === undefined ? null : cursorOf(first);
      },
      get endCursor() {
        if (!page.isBackward && readTo) return encodeCursor(cipher, page.scope, readTo);
        return last === undefined ? null : cursorOf(last);
      },
    },
  };
}

const TotalCount = builder.objectRef<Counted>('TotalCount').implement({
  tokenScopes: 'any',
  subjects: 'none',
  description: `Number of objects in a connection, counted up to ${MAX_COUNTED.toLocaleString('en')}.`,
  fields: (t) => ({
    value: t.int({
      description: `Number of objects, at most ${MAX_COUNTED.toLocaleString('en')}. A lower bound if isExact is false.`,
      resolve: (counted) => (typeof counted === 'number' ? Math.min(counted, MAX_COUNTED) : counted.value),
    }),
    isExact: t.boolean({
      description: 'Whether value is the exact number. If false, the connection can contain more objects.',
      resolve: (counted) => (typeof counted === 'number' ? counted <= MAX_COUNTED : counted.isExact),
    }),
  }),
});

builder.globalConnectionField('totalCount', (t) =>
  t.field({
    type: TotalCount,
    description: 'Number of all objects of the connection. Costs a statement if selected.',
    complexity: 5,
    resolve: ({ total }) => total(),
  }),
);
