import { AppError } from '@vouchgraph/platform/errors';

/** A cursor after all events: the database was restored to an earlier state. */
export function cursorUnknown(): AppError {
  return new AppError(
    'events.cursor_unknown',
    'invalid_input',
    'after: the cursor is ahead of all events. Read the current state, and subscribe without after',
    { path: ['after'] },
  );
}

/** The events after a cursor were purged. */
export function cursorTooOld(): AppError {
  return new AppError(
    'events.cursor_too_old',
    'invalid_input',
    'after: events after this cursor have expired. Read the current state, and subscribe without after',
    { path: ['after'] },
  );
}
