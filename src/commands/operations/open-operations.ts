import { createOperationService } from '../../domain/operations/operation-service.ts';
import { documentCheck } from '../../http/graphql/check-operation.ts';
import { createProfiles } from '../../http/graphql/profiles.ts';
import { systemClock } from '../../platform/clock.ts';
import { createLogger } from '../../platform/logger.ts';

/** The registered operations of projects, with the schema that documents are checked against. */
export function openOperations() {
  const { open } = createProfiles(createLogger('silent'));
  return createOperationService({ clock: systemClock, check: documentCheck(open) });
}
