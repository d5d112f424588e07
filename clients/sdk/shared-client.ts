import { attempt } from './attempt.ts';
import { type Client, createClient } from './client.ts';

const KEY = Symbol.for('vouchgraph.client');

/** The one client of a page, however often and in whichever form the script is included. */
export function sharedClient(scriptUrl: string): Client {
  const holder = globalThis as { [KEY]?: Client };
  const present = holder[KEY];
  if (present) return present;
  const client = createClient(scriptUrl);
  attempt(() => {
    holder[KEY] = client;
  }, undefined);
  return client;
}
