import { attempt } from './attempt.ts';
import type * as Declared from './sdk.d.ts';
import { sharedClient } from './shared-client.ts';

/*
 * Module `vouchgraph-sdk`. Importing it has no side effects, so that a server can render a page that uses it. Its types are
 * those of sdk.d.ts, which is part of the package.
 */

const client = () => sharedClient(attempt(() => import.meta.url, ''));

/** Starts with the options of the page. */
export const init: typeof Declared.init = (options) => client().init(options);
/** Session, resolved when it is open. */
export const session: typeof Declared.session = () => client().session();
/** Opens a new session. */
export const reinitialize: typeof Declared.reinitialize = () => client().reinitialize();
/** Sends the signed-in account. */
export const account: typeof Declared.account = (claimed) => client().account(claimed);
/** Closes the session. */
export const complete: typeof Declared.complete = () => client().complete();
/** Facts collected so far. */
export const collected: typeof Declared.collected = () => client().collected();
