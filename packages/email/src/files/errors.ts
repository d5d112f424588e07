import { AppError } from '@vouchgraph/platform/errors';

/** The file is not the file of the import that is resumed. */
export function importDiffers(where: string): AppError {
  const message = `The file differs from the file of this import ${where}. Nothing was changed`;
  return new AppError('email.import_differs', 'conflict', message);
}

/** The body ended before the file. Stored rows are kept. */
export function importCutOff(): AppError {
  return new AppError(
    'email.import_cut_off',
    'invalid_input',
    'The upload ended too early: send the file again to continue',
  );
}

/** Earlier rows stay stored. */
export function importTooLarge(maxBytes: number): AppError {
  return new AppError('email.import_too_large', 'too_large', `The file is larger than ${maxBytes} bytes`);
}
