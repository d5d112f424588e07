import { attempt } from './attempt.ts';
import type { Client } from './client.ts';
import { optionsOfAttributes } from './options.ts';
import { sharedClient } from './shared-client.ts';

/*
 * Script of a page: sets `Vouchgraph` on the window, starts if its element names a project, and dispatches
 * `vouchgraph:ready` on the window.
 */
attempt(() => {
  const element = document.currentScript as HTMLScriptElement | null;
  const client = sharedClient(element?.src ?? '');
  (window as { Vouchgraph?: Client }).Vouchgraph = client;
  const project = element?.getAttribute('data-project');
  if (project) {
    client.init(optionsOfAttributes((name) => element!.getAttribute(`data-${name}`)) as never);
  }
  window.dispatchEvent(new Event('vouchgraph:ready'));
}, undefined);
