import type { Command } from 'commander';
import { ACTOR_KINDS } from '../domain/audit/audit-action.ts';
import { JSON_OPTION, oneOf, timestamp, uuid, wholeBetween } from './support/arguments.ts';
import {
  addProjectOptions,
  inLocalProject,
  inProject,
  localProjectCommand,
  projectCommand,
  REMOTE_HELP,
} from './support/project-command.ts';

const ACTOR_KIND_WORDS = ACTOR_KINDS.map((kind) => kind.toLowerCase());

const loadAudit = () => import('./audit/audit-log.ts');

/** Adds the options that select entries. */
function addConditions(command: Command): Command {
  return command
    .option('--account <id>', 'entries of one account, by its account id, assigned by the client')
    .option('--action <prefix>', 'an action or a prefix, such as list.')
    .option('--actor <actor>', 'entries of one author, such as the visible prefix of a key')
    .option('--actor-kind <kind>', ACTOR_KIND_WORDS.join(', '), oneOf(ACTOR_KIND_WORDS))
    .option('--role <role>', 'entries of authors with this role, such as operator')
    .option('--address <address>', 'entries of clients with this IP address')
    .option('--request <id>', 'entries of one request, by its id', uuid)
    .option('--target <target>', 'entries of one object, such as list:block or rule:ID')
    .option('--since <timestamp>', 'entries at or after this time, such as 2027-01-31T00:00:00Z', timestamp)
    .option('--until <timestamp>', 'entries before this time; now by default', timestamp);
}

/** Registers `audit`. */
export function addAuditCommand(program: Command): void {
  const audit = program.command('audit').description('audit log: changes of a project');
  audit.addHelpText('after', REMOTE_HELP);
  addProjectOptions(
    addConditions(
      projectCommand(audit, 'list', 'list the newest entries').option(
        '-n, --number <number>',
        'number of entries',
        wholeBetween(1, 1000),
        20,
      ),
    ),
  )
    .addHelpText('after', '\nExample:\n  vouchgraph audit list --action list. --number 100')
    .action(inProject(loadAudit, ({ listAudit }) => listAudit));
  addProjectOptions(
    addConditions(projectCommand(audit, 'export', 'export all entries as NDJSON, oldest first'))
      .option('-o, --out <file>', 'file to write instead of standard output')
      .option('--replace', 'replace an existing file'),
  )
    .addHelpText(
      'after',
      '\nExample:\n  vouchgraph audit export --since 2027-01-01 --out data/audit.ndjson --url https://id.example.com',
    )
    .action(inProject(loadAudit, ({ exportAudit }) => exportAudit));
  addChainCommands(audit);
}

/** The commands of the chain over the audit log. */
function addChainCommands(audit: Command): void {
  addProjectOptions(
    projectCommand(audit, 'head', 'export the signed end of the chain over the audit log as JSON')
      .option('-o, --out <file>', 'file to write instead of standard output')
      .option('--replace', 'replace an existing file'),
  )
    .addHelpText(
      'after',
      '\nExample:\n  vouchgraph audit head --out head-2027-01-31.json --url https://id.example.com',
    )
    .action(
      inProject(
        () => import('./audit/head.ts'),
        ({ exportHead }) => exportHead,
      ),
    );
  localProjectCommand(
    audit,
    'verify',
    'recompute the chain over the audit log; exit code 1 if an entry was changed, removed or cut off',
  )
    .option('--head <file>', 'file of audit head, with which the chain is compared')
    .option(...JSON_OPTION)
    .addHelpText('after', '\nExample:\n  vouchgraph audit verify PROJECT_ID --head head-2027-01-31.json')
    .action(
      inLocalProject<{ head?: string; json?: boolean }, []>(1, async (project, options) =>
        (await import('./audit/verify.ts')).verifyAudit(project, options),
      ),
    );
  localProjectCommand(audit, 'erase', 'erase personal values of entries; the chain remains valid')
    .option('--entry <id>', 'address, reason, before and after of this entry', uuid)
    .option('--actor <actor>', 'addresses of the entries of this author')
    .option('--until <timestamp>', 'with --actor: entries before this time', timestamp)
    .option(...JSON_OPTION)
    .addHelpText('after', '\nExample:\n  vouchgraph audit erase PROJECT_ID --actor person:ID')
    .action(
      inLocalProject<EraseOptions, []>(1, async (project, options) =>
        (await import('./audit/erase.ts')).eraseAudit(project, options),
      ),
    );
}

type EraseOptions = { entry?: string; actor?: string; until?: Date; json?: boolean };
