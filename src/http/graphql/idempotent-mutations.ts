import { type DocumentNode, getOperationAST, Kind, type OperationDefinitionNode } from 'graphql';

/** Mutations that do the same when they run again. */
const IDEMPOTENT: ReadonlySet<string> = new Set([
  'addAccountsToList',
  'authenticateSession',
  'completeSession',
  'deleteOperations',
  'liftKeepOff',
  'registerOperations',
  'removeAccountsFromList',
  'scoreSession',
  'updateAccount',
  'updateEmailDomains',
  'updateList',
  'verifyFace',
  'verifyId',
  'verifyIdentity',
]);

/** Whether an operation may run again when it is not known whether its answer arrived. */
export function isIdempotent({ selectionSet }: OperationDefinitionNode): boolean {
  return selectionSet.selections.every(
    (selection) => selection.kind === Kind.FIELD && IDEMPOTENT.has(selection.name.value),
  );
}

/** The same of a document with one operation. */
export function isIdempotentDocument(document: DocumentNode): boolean {
  const operation = getOperationAST(document);
  return operation != null && isIdempotent(operation);
}
