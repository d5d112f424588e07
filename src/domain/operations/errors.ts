import { AppError } from '@vouchgraph/platform/errors';
import { LIMITS } from '@vouchgraph/platform/limits';
import type { DocumentProblem } from './operation.ts';

/** A document that cannot be executed; `index` is its place among the documents of the call. */
export function invalidDocument(index: number, { message, line, column }: DocumentProblem): AppError {
  const place = line === undefined ? '' : ` (line ${line}, column ${column})`;
  return new AppError(
    'operation.invalid_document',
    'invalid_input',
    `documents.${index}.text: ${message}${place}`,
    {
      path: ['documents', index, 'text'],
      details: line === undefined ? { document: index } : { document: index, line, column: column! },
    },
  );
}

export function tooManyOperations(count: number): AppError {
  return new AppError(
    'operation.too_many',
    'conflict',
    `A project can have at most ${LIMITS.operations} registered operations, and would have ${count}: delete unused ones`,
    { extensions: { limit: LIMITS.operations } },
  );
}

export function tooManyBytes(bytes: number): AppError {
  return new AppError(
    'operation.too_many',
    'conflict',
    `The registered operations of a project can have at most ${LIMITS.operationsBytes} bytes, and would have ${bytes}: delete unused ones`,
    { extensions: { limit: LIMITS.operationsBytes } },
  );
}
