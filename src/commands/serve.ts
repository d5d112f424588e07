import type { Command } from 'commander';

/** Registers `serve`. */
export function addServeCommand(program: Command): void {
  program
    .command('serve')
    .description('start the gateway, with its own PostgreSQL unless DATABASE_URL is set')
    .action(async () => (await import('./serve/serve.ts')).serve());
}
