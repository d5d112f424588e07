import { type OutboxEvent, outboxEvent } from '@vouchgraph/events';
import type { Clock } from '@vouchgraph/platform/clock';
import { type Failure, TRANSITIONS } from '@vouchgraph/verification';
import { eventAccountHash } from '../../events/event-account-hash.ts';
import type { Project } from '../../projects/project.ts';
import { accountOfCheck, lockCheckCalls, toLockedCheck } from '../check-lock-store.ts';
import type { VerificationRow } from '../verification-store.ts';
import { FAIL } from './check-store.ts';

function failedEvent(
  { projectId, cipher }: Project,
  {
    session_id: sessionId,
    kind,
    referring_session_id: referringSessionId,
    request_id: requestId,
  }: VerificationRow,
  { accountId, failure, now }: { accountId: string | null; failure: Failure; now: Date },
): OutboxEvent {
  const facts = {
    accountId,
    referringSessionId,
    eventMetadata: {
      projectId,
      sessionId,
      accountId,
      referringSessionId,
      requestId,
      timestamp: now.toISOString(),
    },
    kind,
    errorMessage: failure,
  };
  return outboxEvent(cipher, 'verification.failed', sessionId, facts, now);
}

/** Ends a session without a result, and emits its event; nothing when it has left these states. */
export async function failVerification(
  { clock }: { readonly clock: Clock },
  project: Project,
  row: VerificationRow,
  failure: Failure,
  how: 'fail' | 'giveUp' = 'fail',
): Promise<void> {
  const { projectId, database, cipher } = project;
  const { session_id: sessionId } = row;
  await database.transaction(async (transaction) => {
    // Under its lock: a request may bind the session meanwhile, and the event names the account.
    const rows = await transaction.run(...lockCheckCalls(projectId, sessionId));
    const check = toLockedCheck(rows.at(-1));
    if (!check || (how === 'fail' && check.document_retakes !== row.document_retakes)) return;
    const now = clock.now();
    const accountId = accountOfCheck(check);
    const event = failedEvent(project, row, { accountId, failure, now });
    await transaction.commit(
      FAIL.call({
        projectId,
        sessionId,
        states: TRANSITIONS[how].from,
        failure,
        now,
        eventId: event.eventId,
        eventType: event.type,
        accountHash: accountId === null ? null : eventAccountHash(cipher, accountId),
        eventPayload: event.payload,
        requestId: row.request_id,
      }),
    );
  });
}
