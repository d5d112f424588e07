import type { Command } from 'commander';
import { loadConfig } from './support/with-database.ts';

/** Registers `demo`. */
export function addDemoCommand(program: Command): void {
  program
    .command('demo')
    .description('send example requests to a running gateway, or to a temporary one, and print the answers')
    .addHelpText('after', '\nExample:\n  vouchgraph demo')
    .action(async () => {
      const { runDemo } = await import('./demo/run-demo.ts');
      await runDemo(await loadConfig());
    });
}
