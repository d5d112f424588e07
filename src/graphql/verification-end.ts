import type { Decision } from '../domain/decisions/decide.ts';
import type { StoredEvent } from '../domain/events/event.ts';
import { checkKindOf, shownAccountId } from '../domain/events/event-selection.ts';
import type { EventType } from '../domain/events/outbox-event.ts';
import { builder } from './builder.ts';
import { EventRef } from './event.ts';
import { DecisionType } from './risk.ts';
import { VerificationKindType } from './verification-enums.ts';

/** Types of the events with which a verification ends, by its kind; the last is that of a failure of either. */
export const COMPLETED_TYPES = {
  id: 'verification.id_check.completed',
  face: 'verification.face_check.completed',
} as const satisfies Record<string, EventType>;
export const FAILED_TYPE = 'verification.failed' satisfies EventType;

const VerificationEndStatus = builder.enumType('VerificationEndStatus', {
  description: 'Outcome of a verification session.',
  values: {
    COMPLETED: { description: 'The check has a result.' },
    FAILED: { description: 'The session ended without a result.' },
  } as const,
});

const isCompleted = ({ type }: StoredEvent) => type !== FAILED_TYPE;

/** A field of the data of a completed check, as it was when it completed; null for a failure. */
const ofResult =
  <T>(name: string) =>
  (event: StoredEvent): T | null =>
    isCompleted(event) ? ((event.data[name] ?? null) as T | null) : null;

export const VerificationEndRef = builder.objectRef<StoredEvent>('VerificationEnd').implement({
  description: 'End of a verification session: completed with a result, or failed with a reason.',
  fields: (t) => ({
    status: t.field({
      type: VerificationEndStatus,
      description: 'Outcome.',
      resolve: (event) => (isCompleted(event) ? 'COMPLETED' : 'FAILED'),
    }),
    failure: t.string({
      nullable: true,
      description:
        'Reason of a failure: failed_to_get_camera_permission, failed_to_complete_face_scan, failed_to_process_id_scan, ' +
        'failed_to_collect_device_data, liveness_check_failed, invalid_session_id or session_id_not_found. Null when ' +
        'completed.',
      resolve: (event) => (isCompleted(event) ? null : String(event.data.error_message)),
    }),
    kind: t.field({
      type: VerificationKindType,
      description: 'Kind of the check.',
      resolve: (event) => checkKindOf(event)!,
    }),
    decision: t.field({
      type: DecisionType,
      nullable: true,
      description: 'Decision at the completion, after lists. Null when failed.',
      resolve: ofResult<Decision>('decision'),
    }),
    riskScore: t.float({
      nullable: true,
      description: 'Risk score, 0 to 1, higher is riskier. Null when failed.',
      resolve: ofResult<number>('risk_score'),
    }),
    riskFlags: t.stringList({
      nullable: true,
      description: 'Risk flags, such as repeat_face; docs/verification.md lists all. Null when failed.',
      resolve: ofResult<string[]>('risk_flags'),
    }),
    sessionId: t.field({
      type: 'UUID',
      description: 'Id of the verification session.',
      resolve: (event) => event.sessionId!,
    }),
    accountId: t.string({
      nullable: true,
      description:
        "The client's own id of the account that the session was created for, otherwise of the first account that it was " +
        'bound to before the end. Null without one, and for tokens limited to a session.',
      resolve: (event, _args, { viewer }) => shownAccountId(viewer, event),
    }),
    referringSessionId: t.field({
      type: 'UUID',
      nullable: true,
      description: 'Id of the session that the person came from; null without one.',
      resolve: (event) => event.referringSessionId,
    }),
    createdAt: t.field({
      type: 'DateTime',
      description: 'Time of the end.',
      resolve: (event) => event.createdAt,
    }),
    cursor: t.string({
      description: 'Place in the order of events: pass it as after to resume behind it.',
      resolve: ({ position }, _args, { viewer, services }) =>
        services.events.cursorAt(viewer.project, position),
    }),
    event: t.field({
      type: EventRef,
      description: 'The event itself, with the whole result in data.',
      resolve: (event) => event,
    }),
  }),
});
