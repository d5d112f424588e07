import { AppError } from '../../platform/errors.ts';

type Noun = 'account' | 'list';

/** The error of an account or a list that does not exist. */
export function notFound(noun: Noun, name: string): AppError {
  const message = `${noun === 'account' ? 'Account' : 'List'} not found: ${name}`;
  return new AppError(`${noun}.not_found`, 'not_found', message, { path: [noun] });
}

/** Adds the name from the command to an error of the service such as `List not found.`; rethrows other errors. */
export function withName(noun: Noun, name: string): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof AppError) || error.code !== `${noun}.not_found`) throw error;
    const message = error.message.replace(/ not found\.?(?=$|;)/, ` not found: ${name}`);
    throw new AppError(error.code, error.kind, message, { path: error.inputPath ?? [noun] });
  };
}
