import { OperatorError } from '@vouchgraph/platform/errors';
import type { Config } from '../config.ts';

/** The service cannot start; the message is one line for the operator. */
export class StartError extends OperatorError {}

/** An error of listening, with its remedy. */
export function explainListenError({ host, port }: Pick<Config, 'host' | 'port'>, error: Error): Error {
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'EADDRINUSE')
    return new StartError(`Port ${port} on ${host} is in use: set PORT or --port to another port`);
  if (code === 'EACCES')
    return new StartError(
      `Port ${port} on ${host} is not permitted for this user: set PORT or --port to another port`,
    );
  if (code === 'EADDRNOTAVAIL' || code === 'ENOTFOUND')
    return new StartError(`HOST ${host} is not an address of this machine`);
  return error;
}
