import { attempt } from './attempt.ts';
import type { Client } from './client.ts';
import { sharedClient } from './shared-client.ts';

/*
 * The module `vouchgraph-sdk`. Importing it touches nothing, so that a server can render a page which uses it.
 */

const client = () => sharedClient(attempt(() => import.meta.url, ''));

/** Starts with the options of the page. */
export const init: Client['init'] = (options) => client().init(options);
/** The session, when it is open. */
export const session: Client['session'] = () => client().session();
/** Opens a new session. */
export const reinitialize: Client['reinitialize'] = () => client().reinitialize();
/** Tells which account the page takes for signed in. */
export const account: Client['account'] = (claimed) => client().account(claimed);
/** Closes the session. */
export const complete: Client['complete'] = () => client().complete();
/** What was collected so far. */
export const collected: Client['collected'] = () => client().collected();
