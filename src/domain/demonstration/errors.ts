import { AppError } from '@vouchgraph/platform/errors';

export function demonstrationDataInProduction(): AppError {
  return new AppError(
    'demonstration_data.in_production',
    'forbidden',
    'Demonstration data requires a sandbox project',
  );
}

/** `state`: state of the existing set. */
export function demonstrationDataExists(state: string): AppError {
  return new AppError(
    'demonstration_data.exists',
    'conflict',
    `The project already has demonstration data, in the state ${state}: remove it before creating it again`,
  );
}

export function demonstrationDataNotFound(): AppError {
  return new AppError('demonstration_data.not_found', 'not_found', 'The project has no demonstration data');
}

/** A list of the user has the name of one of the set. */
export function demonstrationListExists(name: string): AppError {
  return new AppError(
    'demonstration_data.list_exists',
    'conflict',
    `The project has a list with the name ${JSON.stringify(name)}: delete it, or remove the demonstration data`,
  );
}
