import { Command } from 'commander';
import { addAccountCommand } from './commands/account.ts';
import { addAuditCommand } from './commands/audit.ts';
import { addCalibrateCommand } from './commands/calibrate.ts';
import { addDemoCommand } from './commands/demo.ts';
import { addDoctorCommand } from './commands/doctor.ts';
import { addEmailCommand } from './commands/email.ts';
import { addFeedCommand } from './commands/feed.ts';
import { addImportCommand } from './commands/import.ts';
import { addKeyCommand } from './commands/key.ts';
import { addLinksCommand } from './commands/links.ts';
import { addListCommand } from './commands/list.ts';
import { addMigrateCommand } from './commands/migrate.ts';
import { addOperationsCommand } from './commands/operations.ts';
import { addProjectCommand } from './commands/project.ts';
import { addRuleCommand } from './commands/rule.ts';
import { addServeCommand } from './commands/serve.ts';
import { addStatsCommand } from './commands/stats.ts';
import { inNamesOfCall } from './commands/support/call-names.ts';
import { argumentsFor, fail } from './commands/support/report-error.ts';
import { addUserCommand } from './commands/user.ts';
import { addVerificationCommand } from './commands/verification.ts';
import { addWebhookCommand } from './commands/webhook.ts';
import { version } from './version.ts';

const program = new Command('vouchgraph')
  .description(
    'Identity verification and account risk, open and explained. Settings come from the environment: see docs/configuration.md.',
  )
  .version(version)
  .exitOverride();
// fail() writes errors: as one line, or as JSON.
program.configureOutput({ outputError: () => {} });
addServeCommand(program);
addDemoCommand(program);
addMigrateCommand(program);
addDoctorCommand(program);
addCalibrateCommand(program);
addFeedCommand(program);
addEmailCommand(program);
addProjectCommand(program);
addAuditCommand(program);
addAccountCommand(program);
addLinksCommand(program);
addListCommand(program);
addRuleCommand(program);
addImportCommand(program);
addVerificationCommand(program);
addStatsCommand(program);
addWebhookCommand(program);
addOperationsCommand(program);
addKeyCommand(program);
addUserCommand(program);

let called: Command | undefined;
program.hook('preAction', (_program, command) => {
  called = command as Command;
});

// A reader of the output that closes its pipe early is no failure.
process.stdout.on('error', () => {});

try {
  await program.parseAsync(argumentsFor(program), { from: 'user' });
} catch (error) {
  fail(called ? inNamesOfCall(error, called) : error, program);
}
