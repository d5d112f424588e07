import { AppError } from '@vouchgraph/platform/errors';
import type { Viewer } from '../domain/projects/access-service.ts';

/** Whether a viewer executes registered operations only: browser tokens of projects with that setting. */
export function executesRegisteredOnly({ kind, project }: Viewer): boolean {
  return kind === 'browser_token' && project.settings.browserTokenOperations === 'registered';
}

export function notRegistered(how = 'send documentId or extensions.persistedQuery without query'): AppError {
  return new AppError(
    'operation.not_registered',
    'forbidden',
    `Browser tokens of this project execute only registered operations: ${how}`,
  );
}
