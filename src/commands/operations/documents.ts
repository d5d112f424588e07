/* Documents of the public schema that the commands of registered operations run. */

const OPERATION = 'sha256Hash operationNames createdAt';

export const OPERATIONS = `query Operations($first: Int!, $after: String) {
  persistedOperations(first: $first, after: $after) {
    edges { node { ${OPERATION} } } pageInfo { hasNextPage endCursor } } }`;

export const REGISTER = `mutation RegisterOperations($input: RegisterOperationsInput!) {
  registerOperations(input: $input) { operations { ${OPERATION} } } }`;

export const DELETE = `mutation DeleteOperations($input: DeleteOperationsInput!) {
  deleteOperations(input: $input) { deletedIds } }`;
