import { NIL_UUID } from '@vouchgraph/platform/ids';
import { listEffectShape } from '../../domain/lists/list-input.ts';
import { countAllLists, listLists } from '../../domain/lists/list-read-service.ts';
import type { StoredList } from '../../domain/lists/list-service.ts';
import type { ListMembership } from '../../domain/model/account-row.ts';
import { builder } from '../kernel/builder.ts';
import {
  MAX_COUNTED,
  PAGE_ARGS,
  type PageArgs,
  pageCost,
  selectPage,
  toConnection,
} from '../kernel/connection.ts';
import type { GraphQLContext } from '../kernel/context.ts';
import { setFieldType } from '../kernel/input-from.ts';
import { readableUuid } from '../kernel/node-loader.ts';

export const ListEffect = builder.enumType('ListEffect', {
  description: 'Effect of membership of a list on decisions.',
  values: {
    NONE: { value: 'none', description: 'No effect.' },
    BLOCK: { value: 'block', description: 'FAKE decision on the account.' },
    ALLOW: {
      value: 'allow',
      description: 'REAL decision on the account, unless a block list contains it.',
    },
  } as const,
});
setFieldType(listEffectShape, ListEffect);

/** The id by which a viewer reads a list: one of no list for a list that it may not read. */
async function readableId(context: GraphQLContext, listId: string): Promise<string> {
  const { viewer, loaders } = context;
  const id = readableUuid(viewer, 'list.read_by_id', listId);
  if (viewer.kind !== 'browser_token' || id === NIL_UUID) return id;
  return (await loaders.listIsReadable.load(id)) ? id : NIL_UUID;
}

export const ListNode = builder.prismaNode('List', {
  tokenScopes: 'never',
  subjects: 'none',
  mask: 'none',
  description: 'Named list of accounts.',
  id: { tokenScopes: ['ACCOUNT'], resolve: (list) => list.listId, description: 'Global id.' },
  nullable: true,
  findUnique: async (listId, context) => ({
    projectId_listId: {
      projectId: context.viewer.project.projectId,
      listId: await readableId(context, listId),
    },
  }),
  fields: (t) => ({
    name: t.exposeString('name', { tokenScopes: ['ACCOUNT'], description: 'Name, unique in the project.' }),
    description: t.string({
      tokenScopes: ['ACCOUNT'],
      nullable: true,
      description: 'Purpose of the list. Null if none.',
      resolve: (list) => list.description || null,
    }),
    effect: t.field({
      tokenScopes: ['ACCOUNT'],
      type: ListEffect,
      description: 'Effect of membership on decisions.',
      resolve: (list) => list.effect as 'none' | 'block' | 'allow',
    }),
    standard: t.exposeBoolean('standard', {
      tokenScopes: ['ACCOUNT'],
      description: 'Whether the list is block, allow or main_account. These lists exist in every project.',
    }),
    createdAt: t.expose('createdAt', { type: 'DateTime', description: 'Creation time.' }),
  }),
});

/** A list as its type reads it, from a statement that writes lists or reads accounts. */
export function listOf(projectId: string, list: ListMembership | StoredList): typeof ListNode.$inferType {
  return { projectId, ...list, createdAt: new Date(list.createdAt) };
}

const ListConnection = builder.connectionObject(
  {
    type: ListNode,
    name: 'ListConnection',
    description: 'Page of lists.',
    edgesField: { rest: { description: 'Lists by name.' } },
  },
  { name: 'ListEdge', description: 'List in a page.' },
);

async function listPage(args: PageArgs, context: GraphQLContext) {
  const { viewer } = context;
  const page = selectPage(args, ['lists'], context);
  const lists = await listLists(viewer, page);
  return toConnection(lists, page, {
    context,
    position: ({ name }) => [name],
    edge: (node) => ({ node }),
    total: () => countAllLists(viewer, MAX_COUNTED + 1),
  });
}

builder.queryFields((t) => ({
  list: t.field({
    type: ListNode,
    nullable: true,
    description: 'List by its name. Null if it does not exist.',
    authScopes: { may: 'list.read' },
    args: { name: t.arg.string({ required: true, description: 'Name of the list.' }) },
    resolve: (_root, { name }, { loaders }) => loaders.listByName.load(name),
  }),
  lists: t.field({
    type: ListConnection,
    nullable: true,
    description: 'Lists of the project by name.',
    authScopes: { may: 'list.read' },
    complexity: pageCost(5),
    args: PAGE_ARGS,
    resolve: (_root, args, context) => listPage(args, context),
  }),
}));
