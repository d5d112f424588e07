import {
  counted,
  minuteOf,
  print,
  printJson,
  printTable,
  printText,
  requireChange,
  wordOf,
} from '@vouchgraph/terminal';
import { isConfirmed } from '@vouchgraph/terminal/confirm';
import { type Api, type Connection, readEdges } from '../support/api.ts';
import { notFound } from '../support/not-found.ts';
import {
  CREATE_LIST,
  DELETE_LIST,
  LIST_MEMBER_COUNT,
  LIST_MEMBERS,
  LISTS,
  UPDATE_LIST,
} from './documents.ts';

type List = {
  name: string;
  description: string | null;
  effect: string;
  standard: boolean;
  memberCount: number;
  createdAt: string;
};
type MemberEdge = {
  node: { accountId: string };
  addedAt: string;
  expiresAt: string | null;
  reason: string | null;
  actor: string | null;
  source: string;
};

const shownList = ({ name, description, effect, standard, memberCount, createdAt }: List) => ({
  name,
  description,
  effect: wordOf(effect),
  standard,
  member_count: memberCount,
  created_at: createdAt,
});

const shownMember = ({ node, addedAt, expiresAt, reason, actor, source }: MemberEdge) => ({
  account_id: node.accountId,
  added_at: addedAt,
  expires_at: expiresAt,
  reason,
  actor,
  source: wordOf(source),
});

/** Prints all lists of the project. */
export async function listLists(api: Api, { json }: { json?: boolean }): Promise<void> {
  const edges = await readEdges(Number.POSITIVE_INFINITY, async (page) => {
    const { lists } = await api.run<{ lists: Connection<{ node: List }> }>(LISTS, page);
    return lists;
  });
  const lists = edges.map(({ node }) => shownList(node));
  if (json) return printJson(lists);
  printTable(
    ['NAME', 'EFFECT', 'ACCOUNTS', 'DESCRIPTION'],
    lists.map((list) => [list.name, list.effect, String(list.member_count), list.description ?? '']),
  );
}

/** Prints a list with the accounts that were added last. */
export async function showList(
  api: Api,
  { number, json }: { number: number; json?: boolean },
  name: string,
): Promise<void> {
  let list: List | undefined;
  const edges = await readEdges<MemberEdge>(number, async (page) => {
    const answer = await api.run<{ list: (List & { members: Connection<MemberEdge> }) | null }>(
      LIST_MEMBERS,
      {
        name,
        ...page,
      },
    );
    if (!answer.list) throw notFound('list.not_found', name);
    list = answer.list;
    return answer.list.members;
  });
  const shown = shownList(list!);
  const members = edges.map(shownMember);
  if (json) return printJson({ ...shown, members });
  print(`${shown.name}: effect ${shown.effect}, ${counted(shown.member_count, 'account')}`);
  if (shown.description) printText(shown.description);
  if (members.length === 0) return;
  print();
  printTable(
    ['ACCOUNT', 'ADDED', 'EXPIRES', 'BY', 'REASON'],
    members.map((member) => [
      member.account_id,
      minuteOf(member.added_at),
      member.expires_at === null ? 'never' : minuteOf(member.expires_at),
      member.actor ?? member.source,
      member.reason ?? '',
    ]),
  );
  const remaining = shown.member_count - members.length;
  if (remaining > 0)
    print(`and ${counted(remaining, 'more account', 'more accounts')}: --number shows up to 10,000`);
}

type ListChange = { description?: string; effect?: string; json?: boolean };

const inputOf = (name: string, { description, effect }: ListChange) => ({
  name,
  ...(description === undefined ? {} : { description }),
  ...(effect === undefined ? {} : { effect: effect.toUpperCase() }),
});

/** Creates a list, and prints it. */
export async function createList(api: Api, options: ListChange, name: string): Promise<void> {
  const { createList } = await api.run<{ createList: { list: List } }>(CREATE_LIST, {
    input: inputOf(name, options),
  });
  const shown = shownList(createList.list);
  if (options.json) return printJson(shown);
  print(`Created the list ${shown.name} with the effect ${shown.effect}.`);
}

/** Changes the description or the effect of a list, and prints it. */
export async function updateList(api: Api, options: ListChange, name: string): Promise<void> {
  requireChange(options, ['description', 'effect']);
  const input = inputOf(name, options);
  const { updateList } = await api.run<{ updateList: { list: List } }>(UPDATE_LIST, { input });
  const shown = shownList(updateList.list);
  if (options.json) return printJson(shown);
  print(
    `The list ${shown.name} has the effect ${shown.effect}${shown.description ? `: ${shown.description}` : ''}.`,
  );
}

/** Deletes a list, after a confirmation if it contains accounts, which are kept. */
export async function deleteList(
  api: Api,
  { yes, json }: { yes?: boolean; json?: boolean },
  name: string,
): Promise<void> {
  if (!yes && !(await isDeletionConfirmed(api, name))) {
    process.exitCode = 1;
    return;
  }
  const { deleteList } = await api.run<{ deleteList: { name: string } }>(DELETE_LIST, { input: { name } });
  if (json) return printJson({ name: deleteList.name, deleted: true });
  print(`Deleted the list ${deleteList.name}. Its accounts were not deleted.`);
}

async function isDeletionConfirmed(api: Api, name: string): Promise<boolean> {
  const { list } = await api.run<{ list: { memberCount: number } | null }>(LIST_MEMBER_COUNT, { name });
  if (!list || list.memberCount === 0) return true;
  const accounts = counted(list.memberCount, 'account');
  return isConfirmed(
    async () => `Delete the list ${name}, and the memberships of ${accounts}? This cannot be undone.`,
    `to delete a list with ${accounts}`,
  );
}
