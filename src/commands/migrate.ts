import { print, printJson } from '@vouchgraph/terminal';
import type { Command } from 'commander';
import { JSON_OPTION } from './support/arguments.ts';
import { withDatabase } from './support/with-database.ts';

/** Registers `migrate`. */
export function addMigrateCommand(program: Command): void {
  program
    .command('migrate')
    .description('migrate the database to this version')
    .option('--check', 'list pending migrations without applying them; exit code 1 if there are any')
    .option(...JSON_OPTION)
    .addHelpText('after', '\nExample:\n  vouchgraph migrate --check')
    .action(runMigrate);
}

async function runMigrate(options: { check?: boolean; json?: boolean }): Promise<void> {
  await withDatabase(
    async (connectionString) => {
      const { migrate, pendingMigrations } = await import('../storage/migrate.ts');
      if (options.check) {
        const pending = await pendingMigrations({ connectionString });
        if (options.json) printJson({ pending });
        else print(pending.length === 0 ? 'Nothing to apply.' : `To apply: ${pending.join(', ')}`);
        if (pending.length > 0) process.exitCode = 1;
        return;
      }
      const { applied } = await migrate({ connectionString, log: () => {} });
      if (options.json) printJson({ applied });
      else print(applied.length === 0 ? 'Nothing to apply.' : `Applied: ${applied.join(', ')}`);
    },
    options.check ? 'existing' : 'created',
  );
}
