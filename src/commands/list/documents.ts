/* Documents of the public schema that the commands of lists run. */

const LIST = 'name description effect standard memberCount createdAt';

export const LISTS = `query Lists($first: Int!, $after: String) {
  lists(first: $first, after: $after) { edges { node { ${LIST} } } pageInfo { hasNextPage endCursor } } }`;

export const LIST_MEMBERS = `query ListMembers($name: String!, $first: Int!, $after: String) {
  list(name: $name) { ${LIST} members(first: $first, after: $after) {
    edges { node { accountId } addedAt expiresAt reason actor source } pageInfo { hasNextPage endCursor } } } }`;

export const LIST_MEMBER_COUNT =
  'query ListMemberCount($name: String!) { list(name: $name) { memberCount } }';

export const CREATE_LIST = `mutation CreateList($input: CreateListInput!) {
  createList(input: $input) { list { ${LIST} } } }`;

export const UPDATE_LIST = `mutation UpdateList($input: UpdateListInput!) {
  updateList(input: $input) { list { ${LIST} } } }`;

export const DELETE_LIST = `mutation DeleteList($input: DeleteListInput!) { deleteList(input: $input) { name } }`;

export const ADD_ACCOUNTS = `mutation AddAccounts($input: AddAccountsToListInput!) {
  addAccountsToList(input: $input) { results { accountId outcome expiresAt previousExpiresAt } } }`;

export const REMOVE_ACCOUNTS = `mutation RemoveAccounts($input: RemoveAccountsFromListInput!) {
  removeAccountsFromList(input: $input) { results { accountId outcome } } }`;

export const MOVE_ACCOUNTS = `mutation MoveAccounts($input: MoveAccountsInput!) {
  moveAccounts(input: $input) { results { accountId outcome } } }`;
