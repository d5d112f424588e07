import type { Command } from 'commander';
import { addEmailDataCommand } from './email/data.ts';
import { addEmailDomainsCommand } from './email/domains.ts';
import { addEmailEraseCommand } from './email/erase.ts';
import { addEmailImportCommand, addEmailImportsCommand } from './email/import.ts';

/** Registers `email`. */
export function addEmailCommand(program: Command): void {
  const email = program
    .command('email')
    .description('email checks: imports, erasure, domains of a project, breaches and profiles');
  addEmailDataCommand(email);
  addEmailDomainsCommand(email);
  addEmailEraseCommand(email);
  addEmailImportCommand(email);
  addEmailImportsCommand(email);
}
