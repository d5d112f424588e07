import { setTimeout as delay } from 'node:timers/promises';
import type { StoredEvent } from '@vouchgraph/events';
import { AppError } from '@vouchgraph/platform/errors';
import { newId } from '@vouchgraph/platform/ids';
import type { ExecutionResult } from 'graphql';
import type { Project } from '../../domain/projects/project.ts';
import { createContext } from '../../graphql/kernel/context.ts';
import { presentError } from '../graphql/errors.ts';
import { runDocument } from '../graphql/execute.ts';
import { SharedResult } from './shared-result.ts';
import type { Group, SubscriptionState } from './subscription-state.ts';

/** Delays before an event is executed again. A database that answers no request at all is waited for beyond them. */
const RETRY_DELAYS_MS = [250, 500, 1000];

/**
 * The result of an event for a group. It is executed again while the database is unavailable, and a few more times, because
 * an error would permanently replace the event. When the database answers others and this event fails repeatedly, the
 * document is the cause.
 */
export async function executeWithRetry(
  state: SubscriptionState,
  group: Group,
  event: StoredEvent,
  isWanted: () => boolean,
): Promise<SharedResult> {
  for (let tries = 0; ; ) {
    const result = await state.executing(() => execute(state, group, event));
    const wait = RETRY_DELAYS_MS[tries];
    if (!isUnavailable(result) || wait === undefined || !isWanted()) {
      return new SharedResult(JSON.stringify(result));
    }
    await delay(wait, undefined, { ref: false });
    if (await isAnswered(state, group)) tries += 1;
  }
}

function isAnswered({ services }: SubscriptionState, { project }: Group): Promise<boolean> {
  return services.events.headCursor(project).then(
    () => true,
    () => false,
  );
}

/** The project as it is now, or as it was last read while the database does not answer. */
async function projectOf({ getProject }: SubscriptionState, group: Group): Promise<Project> {
  try {
    group.project = (await getProject(group.project.projectId)) ?? group.project;
  } catch (error) {
    if (!(error instanceof AppError) || error.kind !== 'unavailable') throw error;
  }
  return group.project;
}

/** Executes in a new context, without cached data of the previous event and with the current project. */
async function execute(state: SubscriptionState, group: Group, event: StoredEvent): Promise<ExecutionResult> {
  const { request, viewer } = group;
  const { services, log } = state;
  const requestId = newId();
  try {
    const project = await projectOf(state, group);
    const context = createContext(services, {
      viewer: { ...viewer, project },
      requestId,
      connection: { ip: '', headers: {}, edge: {}, browserId: '' },
    });
    const { document, variables, operationName } = request;
    return await runDocument(document, variables, operationName, context, log, event);
  } catch (error) {
    return { errors: [presentError(error, log, requestId)], data: null };
  }
}

/** Whether a field of the result failed because the database did not answer. */
function isUnavailable({ errors = [] }: ExecutionResult): boolean {
  return errors.some(({ extensions }) => extensions.kind === 'unavailable');
}
