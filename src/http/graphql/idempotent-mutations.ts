import {
  type DocumentNode,
  getOperationAST,
  Kind,
  type OperationDefinitionNode,
  OperationTypeNode,
} from 'graphql';
import { declaredOf } from '../../graphql/kernel/declared-facts.ts';
import { schema } from '../../graphql/schema.ts';

const MUTATIONS = schema.getMutationType()!.getFields();

/** Whether an operation may run again when it is not known whether its answer arrived. */
export function isIdempotent({ operation, selectionSet }: OperationDefinitionNode): boolean {
  if (operation === OperationTypeNode.QUERY) return true;
  return selectionSet.selections.every(
    (selection) => selection.kind === Kind.FIELD && isIdempotentField(selection.name.value),
  );
}

/** The same of a document with one operation. */
export function isIdempotentDocument(document: DocumentNode): boolean {
  const operation = getOperationAST(document);
  return operation != null && isIdempotent(operation);
}

function isIdempotentField(name: string): boolean {
  const field = MUTATIONS[name];
  return field !== undefined && declaredOf(field).isIdempotent === true;
}
