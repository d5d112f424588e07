import { systemClock } from '@vouchgraph/platform/clock';
import { createLogger } from '@vouchgraph/platform/logger';
import { createOperationService } from '../../domain/operations/operation-service.ts';
import { documentCheck } from '../../http/graphql/check-operation.ts';
import { createProfiles } from '../../http/graphql/profiles.ts';

/** The registered operations of projects, with the schema that documents are checked against. */
export function openOperations() {
  const { open } = createProfiles(createLogger('silent'));
  return createOperationService({ clock: systemClock, check: documentCheck(open) });
}
