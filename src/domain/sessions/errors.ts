import { AppError } from '@vouchgraph/platform/errors';

/** Unknown, not a UUID, or another project's: all alike. */
export function sessionNotFound(): AppError {
  return new AppError('session.not_found', 'not_found', 'Session ID not found');
}

/** Not bound to any account within its time. */
export function sessionExpired(): AppError {
  return new AppError(
    'session.expired',
    'invalid_input',
    'Session expired: it was not authenticated within 24 hours',
  );
}

export function sessionComplete(): AppError {
  return new AppError('session.complete', 'conflict', 'Session is complete: no facts can be added');
}

export function simulatedSessionInProduction(): AppError {
  return new AppError(
    'session.simulated_in_production',
    'forbidden',
    'Simulating a session with an API key requires a sandbox project',
  );
}
