import { holdYoungGeneration } from '@vouchgraph/platform/heap';
import type { Command } from 'commander';
import { wholeBetween } from './support/arguments.ts';

/** Registers `serve`. */
export function addServeCommand(program: Command): void {
  program
    .command('serve')
    .description('start the gateway, with its own PostgreSQL unless DATABASE_URL is set')
    .option(
      '-p, --port <port>',
      'port to listen on instead of PORT; 0 selects a free port',
      wholeBetween(0, 65_535),
    )
    .addHelpText('after', '\nExample:\n  vouchgraph serve --port 8080')
    .action(async ({ port }: { port?: number }) => {
      // An invalid setting is reported without loading the service, which takes seconds.
      (await import('../config.ts')).readConfig();
      // Before the modules of the service are loaded: loading them grows the young generation of the heap.
      holdYoungGeneration();
      await (await import('./serve/serve.ts')).serve({ port });
    });
}
