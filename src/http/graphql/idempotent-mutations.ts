import {
  type DocumentNode,
  getOperationAST,
  Kind,
  type OperationDefinitionNode,
  OperationTypeNode,
} from 'graphql';

/** Mutations that do the same when they run again, as every query does. */
const IDEMPOTENT: ReadonlySet<string> = new Set([
  'addAccountsToList',
  'allowAccount',
  'approveVerification',
  'addBacktestMatchesToList',
  'authenticateSession',
  'blockAccount',
  'clearAccount',
  'clearVerificationReview',
  'completeSession',
  'deleteOperations',
  'exportAccount',
  'liftKeepOff',
  'registerOperations',
  'rejectVerification',
  'removeAccountsFromList',
  'reportOutcome',
  'updateAccount',
  'updateEmailDomains',
  'updateList',
]);

/** Whether an operation may run again when it is not known whether its answer arrived. */
export function isIdempotent({ operation, selectionSet }: OperationDefinitionNode): boolean {
  if (operation === OperationTypeNode.QUERY) return true;
  return selectionSet.selections.every(
    (selection) => selection.kind === Kind.FIELD && IDEMPOTENT.has(selection.name.value),
  );
}

/** The same of a document with one operation. */
export function isIdempotentDocument(document: DocumentNode): boolean {
  const operation = getOperationAST(document);
  return operation != null && isIdempotent(operation);
}
