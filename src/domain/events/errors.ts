import { AppError } from '../../platform/errors.ts';

/** A cursor after all events: the database was restored to an earlier state. */
export function cursorUnknown(): AppError {
  return new AppError(
    'events.cursor_unknown',
    'invalid_input',
    'This cursor is ahead of all events: read the current state, and go on without after',
    { path: ['after'] },
  );
}

/** The events behind a cursor are gone for their age. */
export function cursorTooOld(): AppError {
  return new AppError(
    'events.cursor_too_old',
    'invalid_input',
    'Events behind this cursor are not kept any more: read the current state, and go on without after',
    { path: ['after'] },
  );
}
