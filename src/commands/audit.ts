import type { Command } from 'commander';
import { timestamp, wholeBetween } from './support/arguments.ts';
import { addProjectOptions, inProject, projectCommand, REMOTE_HELP } from './support/project-command.ts';

const ACTION = ['--action <prefix>', 'an action or a prefix, such as list.'] as const;

const loadAudit = () => import('./audit/audit-log.ts');

/** Registers `audit`. */
export function addAuditCommand(program: Command): void {
  const audit = program.command('audit').description('audit log: changes of a project');
  audit.addHelpText('after', REMOTE_HELP);
  addProjectOptions(
    projectCommand(audit, 'list', 'list the newest entries')
      .option('-n, --number <number>', 'number of entries', wholeBetween(1, 1000), 20)
      .option('--account <id>', 'entries of one account, by its account id, assigned by the client')
      .option(...ACTION)
      .option('--target <target>', 'entries of one object, such as list:block or rule:ID'),
  )
    .addHelpText('after', '\nExample:\n  vouchgraph audit list --action list. --number 100')
    .action(inProject(loadAudit, ({ listAudit }) => listAudit));
  addProjectOptions(
    projectCommand(audit, 'export', 'export all entries as NDJSON, oldest first')
      .option('--since <timestamp>', 'entries at or after this time, such as 2027-01-31T00:00:00Z', timestamp)
      .option('--until <timestamp>', 'entries before this time; now by default', timestamp)
      .option(...ACTION)
      .option('-o, --out <file>', 'file to write instead of standard output')
      .option('--replace', 'replace an existing file'),
  )
    .addHelpText(
      'after',
      '\nExample:\n  vouchgraph audit export --since 2027-01-01 --out data/audit.ndjson --url https://id.example.com',
    )
    .action(inProject(loadAudit, ({ exportAudit }) => exportAudit));
}
