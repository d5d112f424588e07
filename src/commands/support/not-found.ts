import { AppError } from '../../platform/errors.ts';

/** The error of an account or a list that does not exist. */
export function notFound(noun: 'account' | 'list', name: string): AppError {
  const message =
    noun === 'account' ? `Account not found: ${name}` : `List not found: ${JSON.stringify(name)}`;
  return new AppError(`${noun}.not_found`, 'not_found', message, { path: [noun] });
}

/** Adds the account from the command to the error `Account not found` of the service; rethrows other errors. */
export function withAccount(accountId: string): (error: unknown) => never {
  return (error) => {
    if (!(error instanceof AppError) || error.code !== 'account.not_found') throw error;
    const message = error.message.replace(/ not found\.?(?=$|;)/, ` not found: ${accountId}`);
    throw new AppError(error.code, error.kind, message, { path: error.inputPath ?? ['account'] });
  };
}
