import type { Command } from 'commander';
import { addProjectOptions, inProject, projectCommand, REMOTE_HELP } from '../support/project-command.ts';

const loadDomains = () => import('./change-domains.ts');

/** Registers `email domains`. */
export function addEmailDomainsCommand(email: Command): void {
  const domains = email
    .command('domains')
    .description('disposable and trusted mail domains of a project; subdomains are covered');
  domains.addHelpText('after', REMOTE_HELP);
  addProjectOptions(
    projectCommand(domains, 'list', 'list the domains')
      .option('--disposable', 'disposable domains only')
      .option('--trusted', 'trusted domains only'),
  )
    .addHelpText('after', '\nExample:\n  vouchgraph email domains list PROJECT_ID --disposable')
    .action(inProject(loadDomains, ({ listDomains }) => listDomains));
  addProjectOptions(
    projectCommand(domains, 'add', 'add domains; if one is invalid, none is added')
      .option('--disposable <domain...>', 'domains to treat as disposable')
      .option('--trusted <domain...>', 'domains to trust, regardless of public lists'),
  )
    .addHelpText(
      'after',
      '\nExample:\n  vouchgraph email domains add PROJECT_ID --disposable trash.example.com',
    )
    .action(inProject(loadDomains, ({ addDomains }) => addDomains));
  addProjectOptions(
    projectCommand(domains, 'remove', 'remove domains; unknown domains are ignored')
      .option('--disposable <domain...>', 'disposable domains to remove')
      .option('--trusted <domain...>', 'trusted domains to remove'),
  )
    .addHelpText(
      'after',
      '\nExample:\n  vouchgraph email domains remove PROJECT_ID --trusted partner.example.com',
    )
    .action(inProject(loadDomains, ({ removeDomains }) => removeDomains));
}
