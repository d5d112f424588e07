import type { Config } from '../../config.ts';
import { consoleOrigins } from '../../http/auth/console-origin.ts';

/** Origin of the console of a gateway with the settings of this command. */
export function originOf({ publicUrl, host, port }: Pick<Config, 'publicUrl' | 'host' | 'port'>): string {
  const name = host.includes(':') ? `[${host}]` : host;
  return consoleOrigins(publicUrl ?? `http://${name}:${port}`).origin;
}
