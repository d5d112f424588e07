import type { OutputRef } from '@pothos/core';
import {
  addAccountsShape,
  liftKeepOffShape,
  listByNameShape,
  listShape,
  moveAccountsShape,
  removeAccountsShape,
} from '../domain/lists/list-input.ts';
import type { StoredList } from '../domain/lists/list-service.ts';
import type { AccountOutcome, MoveOutcome } from '../domain/lists/member-outcomes.ts';
import { builder } from './builder.ts';
import { ListEffect, ListNode, listOf } from './list.ts';
import {
  AddToListResult,
  LiftKeepOffResult,
  MoveAccountResult,
  RemoveFromListResult,
} from './list-outcomes.ts';

const NAME_RULE = '1 to 128 printable characters without /, not . or ..';
const LIST_NAME = { required: true, description: 'Name of the list.' } as const;
const ACCOUNT_IDS = {
  required: true,
  description: "The client's own ids, 1 to 1,000; one that is named twice counts once.",
} as const;

const CreateListInput = builder.inputType('CreateListInput', {
  description: 'A list to create.',
  fields: (t) => ({
    name: t.string({ required: true, description: `Name, unique in the project: ${NAME_RULE}.` }),
    description: t.string({ description: 'What it is for, 1,024 characters at most; empty by default.' }),
    effect: t.field({ type: ListEffect, description: 'What membership does; none by default.' }),
  }),
  validate: listShape,
});

const UpdateListInput = builder.inputType('UpdateListInput', {
  description: 'What of a list is to change. Null and absent fields leave what is stored.',
  fields: (t) => ({
    name: t.string(LIST_NAME),
    description: t.string({ description: 'What it is for, 1,024 characters at most. Empty clears it.' }),
    effect: t.field({
      type: ListEffect,
      description: 'What membership does from now on; that of a standard list stays.',
    }),
  }),
  validate: listShape,
});

const DeleteListInput = builder.inputType('DeleteListInput', {
  description: 'The list to delete.',
  fields: (t) => ({ name: t.string(LIST_NAME) }),
  validate: listByNameShape,
});

const AddAccountsToListInput = builder.inputType('AddAccountsToListInput', {
  description: 'Accounts to add to a list.',
  fields: (t) => ({
    list: t.string(LIST_NAME),
    accountIds: t.stringList(ACCOUNT_IDS),
    reason: t.string({
      description: 'Why, 1,024 characters at most. Of accounts that are on the list it is replaced.',
    }),
    expiresAt: t.field({
      type: 'DateTime',
      description:
        'When they leave the list by themselves; they stay by default. Of accounts that are on it, it is replaced.',
    }),
  }),
  validate: addAccountsShape,
});

const RemoveAccountsFromListInput = builder.inputType('RemoveAccountsFromListInput', {
  description: 'Accounts to take off a list.',
  fields: (t) => ({
    list: t.string(LIST_NAME),
    accountIds: t.stringList(ACCOUNT_IDS),
    keepOff: t.boolean({
      description:
        'Whether rules may not put the accounts on this list again, also those that are not on it; false by default. It ' +
        'applies until the account is added to the list by a request, moved to it or named in liftKeepOff. False and null ' +
        'lift nothing.',
    }),
  }),
  validate: removeAccountsShape,
});

const LiftKeepOffInput = builder.inputType('LiftKeepOffInput', {
  description: 'Accounts that rules may put on a list again.',
  fields: (t) => ({ list: t.string(LIST_NAME), accountIds: t.stringList(ACCOUNT_IDS) }),
  validate: liftKeepOffShape,
});

const MoveAccountsInput = builder.inputType('MoveAccountsInput', {
  description: 'Accounts to move from one list to another.',
  fields: (t) => ({
    sourceList: t.string({ required: true, description: 'Name of the list that they are on.' }),
    targetList: t.string({ required: true, description: 'Name of the list that they go to, another one.' }),
    accountIds: t.stringList(ACCOUNT_IDS),
  }),
  validate: moveAccountsShape,
});

type ShownList = ReturnType<typeof listOf>;
type Payload = { requestId: string; list: ShownList };

const listPayload = (name: string, description: string) =>
  builder.objectRef<Payload>(name).implement({
    description,
    fields: (t) => ({
      requestId: t.field({
        type: 'UUID',
        description: 'Id of this request.',
        resolve: (payload) => payload.requestId,
      }),
      list: t.field({ type: ListNode, description: 'The list after it.', resolve: ({ list }) => list }),
    }),
  });

const CreateListPayload = listPayload('CreateListPayload', 'The list that was created.');
const UpdateListPayload = listPayload('UpdateListPayload', 'The list as it is after the change.');

const DeleteListPayload = builder
  .objectRef<{ requestId: string; name: string }>('DeleteListPayload')
  .implement({
    description: 'What was deleted.',
    fields: (t) => ({
      requestId: t.field({
        type: 'UUID',
        description: 'Id of this request.',
        resolve: (payload) => payload.requestId,
      }),
      name: t.exposeString('name', { description: 'Name of the deleted list.' }),
    }),
  });

/** A payload with the list and the outcome of each account. */
const outcomesPayload = <Outcome extends string>(
  name: string,
  description: string,
  result: OutputRef<AccountOutcome<Outcome>>,
) =>
  builder.objectRef<Payload & { results: AccountOutcome<Outcome>[] }>(name).implement({
    description,
    fields: (t) => ({
      requestId: t.field({
        type: 'UUID',
        description: 'Id of this request.',
        resolve: (payload) => payload.requestId,
      }),
      list: t.field({ type: ListNode, description: 'The list.', resolve: ({ list }) => list }),
      results: t.field({
        type: [result],
        description: 'One for each distinct id, in the order sent.',
        resolve: ({ results }) => results,
      }),
    }),
  });

const AddAccountsToListPayload = outcomesPayload(
  'AddAccountsToListPayload',
  'What became of each account.',
  AddToListResult,
);
const RemoveAccountsFromListPayload = outcomesPayload(
  'RemoveAccountsFromListPayload',
  'What became of each account.',
  RemoveFromListResult,
);
const LiftKeepOffPayload = outcomesPayload(
  'LiftKeepOffPayload',
  'Outcomes of a liftKeepOff call.',
  LiftKeepOffResult,
);

type MovePayload = {
  requestId: string;
  source: ShownList;
  target: ShownList;
  results: AccountOutcome<MoveOutcome>[];
};

const countOf = ({ results }: MovePayload, outcome: MoveOutcome) =>
  results.filter((result) => result.outcome === outcome).length;

const MoveAccountsPayload = builder.objectRef<MovePayload>('MoveAccountsPayload').implement({
  description: 'What became of each account.',
  fields: (t) => ({
    requestId: t.field({
      type: 'UUID',
      description: 'Id of this request.',
      resolve: (payload) => payload.requestId,
    }),
    sourceList: t.field({
      type: ListNode,
      description: 'The list that they were on.',
      resolve: ({ source }) => source,
    }),
    targetList: t.field({
      type: ListNode,
      description: 'The list that they went to.',
      resolve: ({ target }) => target,
    }),
    results: t.field({
      type: [MoveAccountResult],
      description: 'One for each distinct id, in the order sent.',
      resolve: ({ results }) => results,
    }),
    moved: t.int({
      description: 'How many were moved.',
      resolve: (payload) => countOf(payload, 'MOVED'),
    }),
    conflict: t.int({
      description: 'How many were not, since they are on a list that excludes it.',
      resolve: (payload) => countOf(payload, 'CONFLICT'),
    }),
    notFound: t.int({
      description: 'How many are not there, or not on the source.',
      resolve: (payload) => countOf(payload, 'NOT_FOUND'),
    }),
  }),
});

const input = <Input>(type: Input, description: string) => ({ type, required: true, description }) as const;
const shown = (projectId: string, list: StoredList) => listOf(projectId, list);

builder.mutationFields((t) => ({
  createList: t.field({
    type: CreateListPayload,
    description: 'Creates a list. Errors: list.already_exists, input.invalid.',
    authScopes: { may: 'list.create' },
    args: { input: t.arg(input(CreateListInput, 'The list.')) },
    resolve: async (_root, args, { viewer, services, requestId }) => {
      const list = await services.lists.create(viewer, requestId, args.input);
      return { requestId, list: shown(viewer.project.projectId, list) };
    },
  }),
  updateList: t.field({
    type: UpdateListPayload,
    description:
      'Changes what a list is for and what it does. Decisions follow at once. Errors: list.not_found, ' +
      'list.standard (the effect of a standard list), input.invalid.',
    authScopes: { may: 'list.update' },
    args: { input: t.arg(input(UpdateListInput, 'The list and its changes.')) },
    resolve: async (_root, args, { viewer, services, requestId }) => {
      const list = await services.lists.update(viewer, requestId, args.input);
      return { requestId, list: shown(viewer.project.projectId, list) };
    },
  }),
  deleteList: t.field({
    type: DeleteListPayload,
    description:
      'Deletes a list for good; its accounts stay. Errors: list.not_found, list.standard, list.in_use (a rule that is ' +
      'not archived adds to it, removes from it or asks for it).',
    authScopes: { may: 'list.delete' },
    args: { input: t.arg(input(DeleteListInput, 'The list.')) },
    resolve: async (_root, args, { viewer, services, requestId }) => {
      await services.lists.remove(viewer, requestId, args.input.name);
      return { requestId, name: args.input.name };
    },
  }),
}));

/** Members of lists. */
builder.mutationFields((t) => ({
  addAccountsToList: t.field({
    type: AddAccountsToListPayload,
    description:
      'Adds accounts to a list, all in one transaction. One standard list takes them off the other two. An account that ' +
      'rules were kept from putting on the list (keepOff) may be put there by rules again. Errors: list.not_found, input.invalid (also an end that is past).',
    authScopes: { may: 'list.change_members' },
    args: { input: t.arg(input(AddAccountsToListInput, 'The list and the accounts.')) },
    resolve: async (_root, args, { viewer, services, requestId }) => {
      const { list, results } = await services.lists.addAccounts(viewer, requestId, args.input);
      return { requestId, list: shown(viewer.project.projectId, list), results };
    },
  }),
  removeAccountsFromList: t.field({
    type: RemoveAccountsFromListPayload,
    description:
      'Takes accounts off a list, all in one transaction. A rule puts an account there again in a new session, unless ' +
      'keepOff is set. Errors: list.not_found, input.invalid.',
    authScopes: { may: 'list.change_members' },
    args: { input: t.arg(input(RemoveAccountsFromListInput, 'The list and the accounts.')) },
    resolve: async (_root, args, { viewer, services, requestId }) => {
      const { list, results } = await services.lists.removeAccounts(viewer, requestId, args.input);
      return { requestId, list: shown(viewer.project.projectId, list), results };
    },
  }),
  liftKeepOff: t.field({
    type: LiftKeepOffPayload,
    description:
      'Lets rules put accounts on a list again that removeAccountsFromList kept off it, all in one transaction. Lists ' +
      'stay as they are. Errors: list.not_found, input.invalid.',
    authScopes: { may: 'list.change_members' },
    args: { input: t.arg(input(LiftKeepOffInput, 'The list and the accounts.')) },
    resolve: async (_root, args, { viewer, services, requestId }) => {
      const { list, results } = await services.lists.liftKeepOff(viewer, requestId, args.input);
      return { requestId, list: shown(viewer.project.projectId, list), results };
    },
  }),
  moveAccounts: t.field({
    type: MoveAccountsPayload,
    description:
      'Moves accounts from one list to another, all in one transaction; reason and end go along. Errors: ' +
      'list.not_found, input.invalid; then nothing is moved.',
    authScopes: { may: 'list.change_members' },
    args: { input: t.arg(input(MoveAccountsInput, 'The lists and the accounts.')) },
    resolve: async (_root, args, { viewer, services, requestId }) => {
      const { source, target, results } = await services.lists.moveAccounts(viewer, requestId, args.input);
      const { projectId } = viewer.project;
      return { requestId, source: shown(projectId, source), target: shown(projectId, target), results };
    },
  }),
}));
