import type { OutputRef } from '@pothos/core';
import {
  addAccountsShape,
  createListShape,
  deleteListShape,
  liftKeepOffShape,
  moveAccountsShape,
  removeAccountsShape,
  updateListShape,
} from '../../domain/lists/list-input.ts';
import type { StoredList } from '../../domain/lists/list-service.ts';
import type { AccountOutcome, MoveOutcome } from '../../domain/lists/member-outcomes.ts';
import { builder } from '../kernel/builder.ts';
import { inputFrom } from '../kernel/input-from.ts';
import { globalIdOf } from '../kernel/node-id.ts';
import { payloadType } from '../kernel/payload.ts';
import { ListNode, listOf } from './list.ts';
import {
  AddToListResult,
  LiftKeepOffResult,
  MoveAccountResult,
  RemoveFromListResult,
} from './list-outcomes.ts';

const CreateListInput = inputFrom(createListShape);
const UpdateListInput = inputFrom(updateListShape);
const DeleteListInput = inputFrom(deleteListShape);
const AddAccountsToListInput = inputFrom(addAccountsShape);
const RemoveAccountsFromListInput = inputFrom(removeAccountsShape);
const LiftKeepOffInput = inputFrom(liftKeepOffShape);
const MoveAccountsInput = inputFrom(moveAccountsShape);

type ShownList = typeof ListNode.$inferType;
type Payload = { list: ShownList };

const listPayload = (name: string, description: string) =>
  payloadType<Payload>(name, description, { subjects: 'none' }, (t) => ({
    list: t.expose('list', { type: ListNode, description: 'List after the change.' }),
  }));

const CreateListPayload = listPayload('CreateListPayload', 'Created list.');
const UpdateListPayload = listPayload('UpdateListPayload', 'Changed list.');

const DeleteListPayload = payloadType<{ deleted: StoredList }>(
  'DeleteListPayload',
  'Deleted list.',
  { subjects: 'none' },
  (t) => ({
    deletedId: t.id({
      description: 'Global id of the deleted list.',
      resolve: ({ deleted }) => globalIdOf('List', deleted.listId),
    }),
    name: t.string({
      mask: 'none',
      description: 'Name of the deleted list.',
      resolve: ({ deleted }) => deleted.name,
    }),
  }),
);

/** A payload with the list and the outcome of each account. */
const outcomesPayload = <Result extends AccountOutcome<string>>(
  name: string,
  description: string,
  result: OutputRef<Result>,
) =>
  payloadType<Payload & { results: Result[] }>(name, description, { subjects: 'none' }, (t) => ({
    list: t.expose('list', { type: ListNode, description: 'List after the change.' }),
    results: t.expose('results', {
      type: [result],
      description: 'Outcome for each distinct id, in the order of the request.',
    }),
  }));

const AddAccountsToListPayload = outcomesPayload(
  'AddAccountsToListPayload',
  'Outcome for each account.',
  AddToListResult,
);
const RemoveAccountsFromListPayload = outcomesPayload(
  'RemoveAccountsFromListPayload',
  'Outcome for each account.',
  RemoveFromListResult,
);
const LiftKeepOffPayload = outcomesPayload(
  'LiftKeepOffPayload',
  'Outcomes of a liftKeepOff call.',
  LiftKeepOffResult,
);

type MovePayload = {
  source: ShownList;
  target: ShownList;
  results: AccountOutcome<MoveOutcome>[];
};

const countOf = ({ results }: MovePayload, outcome: MoveOutcome) =>
  results.filter((result) => result.outcome === outcome).length;

const MoveAccountsPayload = payloadType<MovePayload>(
  'MoveAccountsPayload',
  'Outcome for each account.',
  { subjects: 'none' },
  (t) => ({
    sourceList: t.expose('source', { type: ListNode, description: 'List that contained the accounts.' }),
    targetList: t.expose('target', { type: ListNode, description: 'List to which the accounts were moved.' }),
    results: t.expose('results', {
      type: [MoveAccountResult],
      description: 'Outcome for each distinct id, in the order of the request.',
    }),
    moved: t.int({
      description: 'Number of moved accounts.',
      resolve: (payload) => countOf(payload, 'MOVED'),
    }),
    conflict: t.int({
      description:
        'Number of accounts that are already on the target, or on a standard list that excludes it.',
      resolve: (payload) => countOf(payload, 'CONFLICT'),
    }),
    notFound: t.int({
      description: 'Number of accounts that do not exist or are not on the source.',
      resolve: (payload) => countOf(payload, 'NOT_FOUND'),
    }),
  }),
);

const input = <Input>(type: Input, description: string) => ({ type, required: true, description }) as const;
const shown = (projectId: string, list: StoredList) => listOf(projectId, list);

builder.mutationFields((t) => ({
  createList: t.field({
    isIdempotent: false,
    type: CreateListPayload,
    nullable: true,
    description: 'Creates a list. Errors: `list.already_exists`, `input.invalid`.',
    authScopes: { may: 'list.create' },
    args: { input: t.arg(input(CreateListInput, 'List to create.')) },
    resolve: async (_root, args, { viewer, services, requestId }) => {
      const list = await services.lists.create(viewer, requestId, args.input);
      return { requestId, list: shown(viewer.project.projectId, list) };
    },
  }),
  updateList: t.field({
    isIdempotent: true,
    type: UpdateListPayload,
    nullable: true,
    description:
      'Changes the description and the effect of a list. Decisions change immediately. Errors: ' +
      '`list.not_found`, `list.standard` (the effect of a standard list), `input.invalid`.',
    authScopes: { may: 'list.update' },
    args: { input: t.arg(input(UpdateListInput, 'List and changes.')) },
    resolve: async (_root, args, { viewer, services, requestId }) => {
      const list = await services.lists.update(viewer, requestId, args.input);
      return { requestId, list: shown(viewer.project.projectId, list) };
    },
  }),
  deleteList: t.field({
    isIdempotent: false,
    type: DeleteListPayload,
    nullable: true,
    description:
      'Deletes a list. Its accounts are not deleted. Errors: `list.not_found`, `list.standard`, ' +
      '`list.in_use` (a rule that is not archived names the list in its condition or its actions).',
    authScopes: { may: 'list.delete' },
    args: { input: t.arg(input(DeleteListInput, 'List to delete.')) },
    resolve: async (_root, args, { viewer, services, requestId }) => {
      return { requestId, deleted: await services.lists.remove(viewer, requestId, args.input.name) };
    },
  }),
}));

/** Members of lists. */
builder.mutationFields((t) => ({
  addAccountsToList: t.field({
    isIdempotent: true,
    type: AddAccountsToListPayload,
    nullable: true,
    description:
      'Adds accounts to a list in one transaction. Adding to a standard list removes the accounts from ' +
      'the other two. Lifts keepOff of the accounts. Errors: `list.not_found`, `input.invalid` (also an ' +
      'expiresAt in the past).',
    authScopes: { may: 'list.change_members' },
    args: { input: t.arg(input(AddAccountsToListInput, 'List and accounts.')) },
    resolve: async (_root, args, { viewer, services, requestId }) => {
      const { list, results } = await services.lists.addAccounts(viewer, requestId, args.input);
      return { requestId, list: shown(viewer.project.projectId, list), results };
    },
  }),
  removeAccountsFromList: t.field({
    isIdempotent: true,
    type: RemoveAccountsFromListPayload,
    nullable: true,
    description:
      'Removes accounts from a list in one transaction. A rule can add an account again in a new ' +
      'session, unless keepOff is set. Errors: `list.not_found`, `input.invalid`.',
    authScopes: { may: 'list.change_members' },
    args: { input: t.arg(input(RemoveAccountsFromListInput, 'List and accounts.')) },
    resolve: async (_root, args, { viewer, services, requestId }) => {
      const { list, results } = await services.lists.removeAccounts(viewer, requestId, args.input);
      return { requestId, list: shown(viewer.project.projectId, list), results };
    },
  }),
  liftKeepOff: t.field({
    isIdempotent: true,
    type: LiftKeepOffPayload,
    nullable: true,
    description:
      'Allows rules to add accounts to a list again, after removeAccountsFromList with keepOff, in one ' +
      'transaction. Memberships do not change. Errors: `list.not_found`, `input.invalid`.',
    authScopes: { may: 'list.change_members' },
    args: { input: t.arg(input(LiftKeepOffInput, 'List and accounts.')) },
    resolve: async (_root, args, { viewer, services, requestId }) => {
      const { list, results } = await services.lists.liftKeepOff(viewer, requestId, args.input);
      return { requestId, list: shown(viewer.project.projectId, list), results };
    },
  }),
  moveAccounts: t.field({
    isIdempotent: false,
    type: MoveAccountsPayload,
    nullable: true,
    description:
      'Moves accounts from one list to another in one transaction, with the reason and the end of their ' +
      'memberships. After an error no account is moved. Errors: `list.not_found`, `input.invalid`.',
    authScopes: { may: 'list.change_members' },
    args: { input: t.arg(input(MoveAccountsInput, 'Lists and accounts.')) },
    resolve: async (_root, args, { viewer, services, requestId }) => {
      const { source, target, results } = await services.lists.moveAccounts(viewer, requestId, args.input);
      const { projectId } = viewer.project;
      return { requestId, source: shown(projectId, source), target: shown(projectId, target), results };
    },
  }),
}));
