import type { ListMembership } from '../domain/accounts/account.ts';
import { builder } from './builder.ts';
import { forbidLimitedToken } from './session.ts';

const ListEffect = builder.enumType('ListEffect', {
  description: 'What membership of a list does to a decision.',
  values: {
    none: { description: 'Nothing.' },
    block: { description: 'The account is decided Fake.' },
    allow: { description: 'The account is decided Real, unless a block list holds it too.' },
  } as const,
});

export const ListNode = builder.prismaNode('List', {
  description: 'A named list of accounts.',
  id: { resolve: (list) => list.listId, description: 'Global id.' },
  nullable: true,
  findUnique: (listId, { viewer }) => ({ projectId_listId: { projectId: viewer.project.projectId, listId } }),
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

/** A list that came along with an account, as the List type reads it. */
export function listOfMembership(projectId: string, list: ListMembership) {
  return { projectId, ...list, createdAt: new Date(list.createdAt) };
}

builder.queryFields((t) => ({
  list: t.prismaField({
    type: 'List',
    nullable: true,
    description: 'A list by its name; null when there is none.',
    authScopes: { read: true },
    args: { name: t.arg.string({ required: true, description: 'Name of the list.' }) },
    resolve: (query, _root, { name }, context) => {
      forbidLimitedToken(context);
      const { projectId, database } = context.viewer.project;
      return database.prisma.list.findUnique({ ...query, where: { projectId_name: { projectId, name } } });
    },
  }),
  lists: t.prismaField({
    type: ['List'],
    description: 'All lists of the project by name, 1,000 at most.',
    authScopes: { read: true },
    resolve: (query, _root, _args, context) => {
      forbidLimitedToken(context);
      const { projectId, database } = context.viewer.project;
      return database.prisma.list.findMany({
        ...query,
        where: { projectId },
        orderBy: { name: 'asc' },
        take: 1000,
      });
    },
  }),
}));
