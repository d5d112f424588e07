import type { Command } from 'commander';
import { loadConfig } from './support/with-database.ts';

/** Registers `demo`. */
export function addDemoCommand(program: Command): void {
  program
    .command('demo')
    .description('a narrated tour against a running gateway, or one that it starts')
    .action(async () => {
      const { runDemo } = await import('./demo/run-demo.ts');
      await runDemo(await loadConfig());
    });
}
