import type { StoredList } from '../domain/lists/list-service.ts';
import type { ListMembership } from '../domain/model/account-row.ts';
import { isLimited } from '../domain/projects/assert-may.ts';
import { NIL_UUID } from '../platform/ids.ts';
import { builder } from './builder.ts';

export const ListEffect = builder.enumType('ListEffect', {
  description: 'What membership of a list does to a decision.',
  values: {
    NONE: { value: 'none', description: 'Nothing.' },
    BLOCK: { value: 'block', description: 'The account is decided Fake.' },
    ALLOW: { value: 'allow', description: 'The account is decided Real, unless a block list holds it too.' },
  } as const,
});

export const ListNode = builder.prismaNode('List', {
  description: 'A named list of accounts.',
  id: { resolve: (list) => list.listId, description: 'Global id.' },
  nullable: true,
  // To a token that names an account or session no list is there.
  findUnique: (listId, { viewer }) => ({
    projectId_listId: {
      projectId: viewer.project.projectId,
      listId: isLimited(viewer) ? NIL_UUID : listId,
    },
  }),
  fields: (t) => ({
    name: t.exposeString('name', { description: 'Name, unique in the project.' }),
    description: t.exposeString('description', { description: 'What the list is for.' }),
    effect: t.field({
      type: ListEffect,
      description: 'What membership does to a decision.',
      resolve: (list) => list.effect as 'none' | 'block' | 'allow',
    }),
    standard: t.exposeBoolean('standard', {
      description: 'Whether it is one of block, allow and main_account, which exist in every project.',
    }),
    createdAt: t.field({
      type: 'DateTime',
      description: 'When it was created.',
      resolve: (list) => list.createdAt,
    }),
  }),
});

/** A list as the List type reads it, however it was read. */
export function listOf(projectId: string, list: ListMembership | StoredList) {
  return { projectId, ...list, createdAt: new Date(list.createdAt) };
}

/** More than a client may ask for at once; REST shows all of them. */
const LISTS_AT_ONCE = 1000;

builder.queryFields((t) => ({
  list: t.field({
    type: ListNode,
    nullable: true,
    description: 'A list by its name; null when there is none.',
    authScopes: { may: 'list.read' },
    args: { name: t.arg.string({ required: true, description: 'Name of the list.' }) },
    resolve: async (_root, { name }, context) => {
      const { viewer, services } = context;
      const list = await services.lists.find(viewer, name);
      return list && listOf(viewer.project.projectId, list);
    },
  }),
  lists: t.field({
    type: [ListNode],
    description: 'All lists of the project by name, 1,000 at most.',
    authScopes: { may: 'list.read' },
    complexity: { field: 1, multiplier: 50 },
    resolve: async (_root, _args, context) => {
      const { viewer, services, isTrustedDocument } = context;
      const lists = await services.lists.all(viewer, isTrustedDocument ? null : LISTS_AT_ONCE);
      return lists.map((list) => listOf(viewer.project.projectId, list));
    },
  }),
}));
